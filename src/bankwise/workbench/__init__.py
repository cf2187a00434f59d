"""The workbench: a web page that shows conflicts, breaks layouts and fixes them.

``page`` builds it as one self-contained file from the plain modules in ``static``; ``server``
serves it on 127.0.0.1 and runs check and fix; ``widget`` shows it in a notebook.
"""

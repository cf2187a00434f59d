/** Start the page: read the facts and the URL, mount every figure, keep both in step. */
import { readMachines } from "./core/machines.js";
import { mountAlgebra } from "./figures/algebra.js";
import { mountDescriptor } from "./figures/descriptor.js";
import { mountFamily } from "./figures/family.js";
import { mountHardware } from "./figures/hardware.js";
import { mountKernel } from "./figures/kernel.js";
import { mountMemory } from "./figures/memory.js";
import { mountRules } from "./figures/rules.js";
import { mountStory } from "./figures/story.js";
import { mountWave } from "./figures/wave.js";
import { mountWaveThread } from "./figures/wave_thread.js";
import { mountWorkbench } from "./figures/workbench.js";
import { restore } from "./state.js";

const json = (id) => JSON.parse(document.getElementById(id).textContent);
const machines = readMachines(json("machines"));

restore();
if (document.getElementById("workbench")) {
  mountStory(machines);
  mountWorkbench(document.getElementById("workbench"), machines);
  mountAlgebra(machines);
  mountFamily(machines);
  mountMemory(machines);
  mountRules(machines);
  mountHardware(machines);
  mountWave(machines);
  mountWaveThread(machines);
  mountDescriptor(machines);
}
mountKernel(document.getElementById("kernel"), json("report"), machines);
addEventListener("hashchange", restore);
for (const link of document.querySelectorAll("a[data-to]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault(); // The address holds the state, not the place.
    document.getElementById(link.dataset.to).scrollIntoView();
  });
}
document.documentElement.dataset.ready = "yes";

/** Start the page: read the facts and the URL, mount what is shown, keep both in step. */
import { readMachines } from "./core/machines.js";
import { mountAlgebra, mountIntersection } from "./figures/algebra.js";
import { mountBridge } from "./figures/bridge.js";
import { mountDescriptor } from "./figures/descriptor.js";
import { mountFamily } from "./figures/family.js";
import { mountHardware } from "./figures/hardware.js";
import { mountKernel } from "./figures/kernel.js";
import { mountMemory } from "./figures/memory.js";
import { mountRules } from "./figures/rules.js";
import { mountStory } from "./figures/story.js";
import { followLinks, mountViews } from "./figures/views.js";
import { mountWave } from "./figures/wave.js";
import { mountWaveThread } from "./figures/wave_thread.js";
import { mountWorkbench } from "./figures/workbench.js";
import { restore } from "./state.js";

const json = (id) => JSON.parse(document.getElementById(id).textContent);
const machines = readMachines(json("machines"));
const all = (...mounts) => () => mounts.forEach((mount) => mount(machines));

restore();
mountViews(machines, json("gallery"), {
  story: all(mountStory),
  algebra: all(mountAlgebra, mountFamily),
  hardware: all(mountRules, mountHardware, mountWave, mountWaveThread, mountDescriptor),
  memory: all(mountMemory),
});
followLinks();
mountWorkbench(document.getElementById("workbench"), machines);
mountIntersection(machines);
mountBridge(machines);
mountKernel(document.getElementById("kernel"), machines);
addEventListener("hashchange", restore);
const host = document.querySelector('meta[name="bankwise-server"]')?.content;
if (host === "static") navigator.serviceWorker?.register("./sw.js");
document.documentElement.dataset.ready = "yes";

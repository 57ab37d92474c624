/** Files of packs on a disk: for whoever lays them out where there is no storage. */
export { toContentId } from "./content/content-files.ts";
export { holdsFiles, layOut, takeAway } from "./content/laid-out.ts";

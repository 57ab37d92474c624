/** Functions that write the files of packs to disk, for callers without a storage. */
export { toContentId } from "./content/content-files.ts";
export { containsFiles, extractFiles, removeExtracted } from "./content/extracted-content.ts";

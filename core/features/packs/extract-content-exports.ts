/** Functions that write the files of packs to disk, for callers without a storage. */

export { containsFiles, extractFiles, removeExtracted } from "./content/content-directory.ts";
export { toContentId } from "./content/content-files.ts";

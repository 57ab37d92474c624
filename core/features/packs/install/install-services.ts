import type { PackSwitch } from "../activation/pack-activation.ts";
import type { PackContents } from "../content/pack-contents.ts";
import type { PackSources } from "../sources/pack-fetcher.ts";

/** Sources from which packs are fetched. */
export type Sources = Pick<PackSources, "parse" | "fetch" | "latest">;

/** Files of packs in the storage. */
export type Contents = Pick<PackContents, "store" | "directory">;

/** Updates the records of packs to match their files, in one write. */
export type Switch = Pick<PackSwitch, "check" | "apply" | "remove" | "unload">;

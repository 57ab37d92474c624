import type { PackContents } from "../content/pack-contents.ts";
import type { PackSwitch } from "../pack-switch.ts";
import type { PackSources } from "../sources/sources.ts";

/** Where packs come from. */
export type Sources = Pick<PackSources, "parse" | "fetch" | "latest">;

/** Their files in the storage. */
export type Contents = Pick<PackContents, "store" | "directory">;

/** Makes the records of packs say what their files say, in one write. */
export type Switch = Pick<PackSwitch, "apply" | "remove">;

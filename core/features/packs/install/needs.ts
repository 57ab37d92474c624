import type { PackContents } from "../content/pack-contents.ts";
import type { PackSources } from "../sources/sources.ts";
import type { PackSwitch } from "../switch/pack-switch.ts";

/** Where packs come from. */
export type Sources = Pick<PackSources, "parse" | "fetch" | "latest">;

/** Their files in the storage. */
export type Contents = Pick<PackContents, "store" | "directory">;

/** Makes the records of packs say what their files say, in one write. */
export type Switch = Pick<PackSwitch, "check" | "apply" | "remove" | "unload">;

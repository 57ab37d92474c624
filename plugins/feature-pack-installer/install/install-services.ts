import type { PackActivator, PackContents } from "../../../core/feature.ts";
import type { PackFetcher } from "../sources/pack-fetcher.ts";

/** Sources from which packs are fetched. */
export type InstallSources = Pick<PackFetcher, "parse" | "fetch" | "latest">;

/** Files of packs in the storage. */
export type InstallContents = Pick<PackContents, "store" | "directory">;

/** Updates the records of packs to match their files, in one write. */
export type InstallSwitch = Pick<PackActivator, "check" | "apply" | "remove" | "unload">;

import type { PackEntity } from "../../../contract/index.ts";
import type { Principal } from "../../../kernel/basics/principal.ts";
import type { PackKind } from "../pack-files-api.ts";
import type { RegistrationReport } from "./registration-report.ts";

/** A pack as it is to be from now on. */
export interface PackVersion extends Pick<PackEntity, "content" | "source" | "installation" | "earlier"> {
	/** Its ref. */
	readonly pack: string;
	/** Absolute; holds its files. */
	readonly directory: string;
	/** Content that it had when this was decided, null where there was none: with another one nothing is changed. Default: any. */
	readonly expected?: string | null;
}

/** Packs that are registered by themselves, instead of what a start registers. */
export interface ChosenPacks {
	readonly versions: readonly PackVersion[];
	/** What of them; undefined: everything. */
	readonly kinds: ReadonlySet<RegisteredKind> | undefined;
	readonly report: RegistrationReport;
	/** Needs the permissions on everything that the packs concern outside of themselves; undefined: the site, which has all. */
	readonly principal?: Principal | undefined;
}

/** What may be chosen of a pack. */
export type RegisteredKind = PackKind | "config";

declare module "../../../kernel/plugins/engine-dependencies.ts" {
	interface EngineDependencies {
		/** Of a draft that registers some packs only. */
		readonly chosenPacks?: ChosenPacks | undefined;
	}
}

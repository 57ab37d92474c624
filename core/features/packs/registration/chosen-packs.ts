import type { PackEntity } from "../../../contract/index.ts";
import type { Principal } from "../../../kernel/basics/principal.ts";
import type { PackKind } from "../pack-files-exports.ts";
import type { RegistrationReport } from "./registration-report.ts";

/** A version of a pack to register. */
export interface PackVersion extends Pick<PackEntity, "content" | "source" | "installation" | "earlier"> {
	/** Ref of the pack. */
	readonly pack: string;
	/** Absolute path of the directory with the files of the pack. */
	readonly directory: string;
	/**
	 * Content of the pack when the caller decided on this version; null for none. If the content has changed since, nothing is written.
	 * Default: not checked.
	 */
	readonly expected?: string | null;
}

/** Packs to register instead of all packs that a startup registers. */
export interface ChosenPacks {
	readonly versions: readonly PackVersion[];
	/** Kinds to register; undefined for all kinds. */
	readonly kinds: ReadonlySet<RegisteredKind> | undefined;
	readonly report: RegistrationReport;
	/** Principal whose permissions on content of other packs are checked. Undefined if the configuration requests the registration. */
	readonly principal?: Principal | undefined;
}

/** Kinds of pack content that can be registered separately. */
export type RegisteredKind = PackKind | "config";

declare module "../../../kernel/plugins/engine-dependencies.ts" {
	interface EngineDependencies {
		/** Packs to register in a dry run that registers only some packs. */
		readonly chosenPacks?: ChosenPacks | undefined;
	}
}

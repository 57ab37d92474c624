import type { PackEntity } from "../../contract/index.ts";
import type { PackKind } from "./pack-files-api.ts";
import type { RegistrationReport } from "./registration-report.ts";

/** A pack as it is to be from now on. */
export interface PackVersion extends Pick<PackEntity, "ref" | "content" | "source" | "installation" | "earlier"> {
	/** Absolute; holds its files. */
	readonly directory: string;
}

/** Packs that are registered by themselves, instead of what a start registers. */
export interface ChosenPacks {
	readonly versions: readonly PackVersion[];
	/** What of them; undefined: everything. */
	readonly kinds: ReadonlySet<PackKind> | undefined;
	readonly report: RegistrationReport;
}

declare module "../../kernel/plugins/dependencies.ts" {
	interface EngineDependencies {
		/** Of a draft that registers some packs only. */
		readonly chosenPacks?: ChosenPacks | undefined;
	}
}

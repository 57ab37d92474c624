import type { ActionEntity, PackEntity } from "../../contract/index.ts";
import { defineCoreAction } from "./built-in/define-core-action.ts";
import type { ParsedPack } from "./reading/read-pack-directory.ts";
import { notInstalled } from "./registration/not-installed.ts";

export type { ParsedPack } from "./reading/read-pack-directory.ts";

/**
 * Returns a pack that a feature brings (`packs` of `FeaturePlugin`). Actions whose runner type the service does not have are left out.
 *
 * @param actions by name without the pack
 */
export function defineBuiltInPack(
	manifest: Pick<PackEntity, "ref" | "name" | "description" | "version" | "author">,
	actions: Readonly<Record<string, Pick<ActionEntity, "description" | "runner_type" | "parameters">>>,
): ParsedPack {
	return {
		pack: { ...manifest, path: null, metadata: { ...manifest }, ...notInstalled },
		actions: Object.entries(actions).map(([name, action]) => ({
			...defineCoreAction({ ...action, name }),
			ref: `${manifest.ref}.${name}`,
			pack: manifest.ref,
		})),
		problems: [],
	};
}

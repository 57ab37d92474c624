import type { PackEntity } from "../../contract/index.ts";
import { generatorActions } from "./core-generator-actions.ts";
import { shellActions } from "./core-shell-actions.ts";
import { defineCoreAction } from "./define-core-action.ts";
import type { PackContent } from "./read-pack-directory.ts";

/** The pack every service has. An action is an entry in one of the lists; it comes with its runner. */
export const corePack: PackContent = {
	pack: builtInPack("core", "Basic actions that every service has."),
	actions: [
		defineCoreAction({ name: "noop", description: "Do nothing, and succeed.", runner_type: "noop", parameters: {} }),
		...shellActions,
		...generatorActions,
	],
	problems: [],
};

/** The pack for resources that belong to no other. */
export const defaultPack: PackContent = {
	pack: builtInPack("default", "Resources that belong to no other pack."),
	actions: [],
	problems: [],
};

function builtInPack(ref: string, description: string): Omit<PackEntity, "id"> {
	const manifest = { ref, name: ref, description, version: "1.0.0", author: "svc" };
	return { ...manifest, path: null, metadata: manifest };
}

import type { PackContent } from "../reading/read-pack-directory.ts";
import { notInstalled } from "../registration/not-installed.ts";
import { generatorActions } from "./core-generator-actions.ts";
import { mailActions } from "./core-mail-action.ts";
import { networkActions } from "./core-network-actions.ts";
import { questionActions } from "./core-question-actions.ts";
import { shellActions } from "./core-shell-actions.ts";
import { defineCoreAction } from "./define-core-action.ts";

const manifest = { ref: "core", name: "core", description: "Basic actions that every service has.", version: "1.0.0", author: "svc" };

/** The pack every service has. An action is an entry in one of the lists; it comes with its runner. */
export const corePack: PackContent = {
	pack: { ...manifest, path: null, metadata: manifest, ...notInstalled },
	actions: [
		defineCoreAction({ name: "noop", description: "Do nothing, and succeed.", runner_type: "noop", parameters: {} }),
		...shellActions,
		...generatorActions,
		...questionActions,
		...networkActions,
		...mailActions,
	],
	problems: [],
};

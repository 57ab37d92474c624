import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Access } from "../access/access-api.ts";
import { actionViewRoutes } from "./action-views-routes.ts";
import { StoredActions } from "./actions.ts";
import type { ActionsApi } from "./api.ts";
import { fileWrittenType } from "./file-written-trigger.ts";
import { actionRoutes } from "./routes.ts";
import { createRunnerTypes } from "./runner-types.ts";
import { runnerTypeRoutes } from "./runner-types-routes.ts";

/** Creates the feature for actions and runner types in the API. */
export function createActionsFeature(kernel: Kernel, needs: { readonly access: Access }): HttpFeature<ActionsApi> {
	return {
		api: {
			actions: new StoredActions({ ...kernel, ...needs, draft: (event) => kernel.dispatcher.draft(event) }),
			runnerTypes: createRunnerTypes(kernel),
		},
		triggerTypes: [fileWrittenType],
		routes: [...actionViewRoutes, ...actionRoutes, ...runnerTypeRoutes],
	};
}

import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { RegisterFiles } from "../packs/pack-files-api.ts";
import type { TriggersFeatureApi } from "./api.ts";
import { toEndingTypes } from "./built-in-types.ts";
import { EndedExecutions } from "./ended-executions.ts";
import { registerType } from "./register-type.ts";
import { triggerRoutes } from "./routes.ts";
import { StoredInstances } from "./trigger-instances.ts";
import { triggerInstanceRoutes } from "./trigger-instances-routes.ts";
import { toTriggerTypeInput } from "./trigger-type-file.ts";
import { StoredTriggerTypes } from "./trigger-types.ts";
import { StoredTriggers } from "./triggers.ts";
import type { RegisteredTypeInput } from "./triggers-api.ts";

export interface TriggersNeeds {
	readonly registerFiles: RegisterFiles;
}

export interface TriggersFeature extends HttpFeature<TriggersFeatureApi> {
	/** Creates the trigger type of a pack file or another source, or updates it if its definition differs. */
	registerType(input: RegisteredTypeInput): Promise<void>;
}

/** Creates the feature for trigger types, triggers, their instances, and the events that the end of an execution creates. */
export function createTriggersFeature(kernel: Kernel, { registerFiles }: TriggersNeeds): TriggersFeature {
	const types = new StoredTriggerTypes(kernel);
	const ended = new EndedExecutions(kernel);
	const register = (input: RegisteredTypeInput) => registerType(kernel.storage, types, input);
	return {
		api: { triggers: { types, triggers: new StoredTriggers(kernel), instances: new StoredInstances(kernel) } },
		triggerTypes: toEndingTypes(kernel.options),
		registerType: register,
		register: () =>
			registerFiles({
				kind: "trigger_type",
				folder: "triggers",
				toInput: toTriggerTypeInput,
				register,
				remove: (ref) => types.remove(ref),
			}),
		onCompletion: (execution) => ended.draft(execution),
		routes: [...triggerRoutes, ...triggerInstanceRoutes],
	};
}

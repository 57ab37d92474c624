import type { ServedFeature } from "../../http/served-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { registerFiles } from "../packs/pack-files-api.ts";
import type { PackDirectory } from "../packs/packs-api.ts";
import type { TriggersFeatureApi } from "./api.ts";
import { toEndingTypes } from "./built-in-types.ts";
import { EndedExecutions } from "./ended-executions.ts";
import { StoredInstances } from "./instances.ts";
import { registerType } from "./register-type.ts";
import { triggerRoutes } from "./routes.ts";
import { triggerInstanceRoutes } from "./trigger-instances-routes.ts";
import { toTriggerTypeInput } from "./trigger-type-file.ts";
import { StoredTriggerTypes } from "./trigger-types.ts";
import { StoredTriggers } from "./triggers.ts";
import type { TriggerTypeInput } from "./triggers-api.ts";

export interface TriggersNeeds {
	/** Packs whose files may hold trigger types. */
	readonly directories: () => readonly PackDirectory[];
}

export interface TriggersFeature extends ServedFeature<TriggersFeatureApi> {
	/** Make a trigger type that comes with something else, or make it say what it should. */
	registerType(input: TriggerTypeInput): Promise<void>;
}

/** Trigger types, triggers and their instances; events that the end of an execution makes. */
export function createTriggersFeature(kernel: Kernel, { directories }: TriggersNeeds): TriggersFeature {
	const types = new StoredTriggerTypes(kernel);
	const ended = new EndedExecutions(kernel);
	const register = (input: TriggerTypeInput) => registerType(kernel.storage, types, input);
	return {
		api: { triggers: { types, triggers: new StoredTriggers(kernel), instances: new StoredInstances(kernel) } },
		triggerTypes: toEndingTypes(kernel.options),
		registerType: register,
		register: () =>
			registerFiles(kernel, directories(), { kind: "trigger_type", folder: "triggers", toInput: toTriggerTypeInput, register }),
		follow: (execution) => ended.draft(execution),
		routes: [...triggerRoutes, ...triggerInstanceRoutes],
	};
}

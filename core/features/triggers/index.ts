import { isDeepStrictEqual } from "node:util";
import type { Storage } from "../../contract/index.ts";
import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { RegisterFiles } from "../packs/pack-files-exports.ts";
import type { TriggersFeatureApi } from "./api.ts";
import { CompletionEvents } from "./completion-events.ts";
import { toEndingTypes } from "./completion-trigger-types.ts";
import { triggerRoutes } from "./routes.ts";
import { StoredInstances } from "./trigger-instances.ts";
import { triggerInstanceRoutes } from "./trigger-instances-routes.ts";
import { toTriggerTypeInput } from "./trigger-type-file.ts";
import { StoredTriggerTypes } from "./trigger-types.ts";
import { StoredTriggers } from "./triggers.ts";
import type { RegisteredTypeInput, TriggerTypes } from "./triggers-exports.ts";

export interface TriggersFeature extends HttpFeature<TriggersFeatureApi> {
	/** Creates the trigger type of a pack file or another source, or updates it if its definition differs. */
	registerType(input: RegisteredTypeInput): Promise<void>;
}

/** Creates the feature for trigger types, triggers, their instances, and the events that the end of an execution creates. */
export function createTriggersFeature(kernel: Kernel, { registerFiles }: { readonly registerFiles: RegisterFiles }): TriggersFeature {
	const types = new StoredTriggerTypes(kernel);
	const ended = new CompletionEvents(kernel);
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

/** Values of the attributes that the file of a trigger type leaves out. */
const noSchemas = { description: "", payload_schema: {}, parameters_schema: {}, tags: [] };

/** Creates a trigger type, or updates it if its definition differs. An identical type is not written, so that a restart changes nothing. */
async function registerType(storage: Storage, types: TriggerTypes, input: RegisteredTypeInput): Promise<void> {
	const { metadata_file = null, ...said } = input;
	const ref = `${input.pack}.${input.name}`;
	const [known] = await storage.find("trigger_type", { where: { ref }, limit: 1 });
	if (known === undefined) await types.create(said, metadata_file);
	else if (!isDeepStrictEqual({ ...known, ...noSchemas, ...said, metadata_file }, known)) await types.update(ref, said, metadata_file);
}

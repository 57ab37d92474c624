import type { Clock, EventBus, Logger, Options, Storage } from "../../contract/index.ts";
import { createRuleIndex, type RuleIndex } from "../../features/rules/rule-index.ts";
import { builtInTypes, triggerRefs } from "../../features/triggers/built-in-types.ts";
import { registerTriggerTypes } from "../../features/triggers/register-types.ts";
import type { ChangeFeed } from "../work/change-feed.ts";
import { createDispatcher } from "./create-dispatcher.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Processor } from "./processor.ts";
import { createTriggerCatalog, type TriggerCatalog } from "./trigger-catalog.ts";

export interface TriggerParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly options: Options;
	readonly changes: ChangeFeed;
	readonly processor: Pick<Processor, "wake" | "reserve" | "dismiss">;
}

/** What the parts of the engine that cause events, or serve triggers, work with. */
export interface TriggerCore {
	readonly dispatcher: Dispatcher;
	readonly catalog: TriggerCatalog;
	readonly rules: RuleIndex;
	/** To be called before packs are registered: makes the built-in types known. */
	register(): Promise<void>;
}

export function createTriggerCore(parts: TriggerParts): TriggerCore {
	const catalog = createTriggerCatalog(parts);
	const rules = createRuleIndex(parts);
	const { enable } = parts.options.action_sensor;
	return {
		dispatcher: createDispatcher({ ...parts, triggers: catalog, isListenedTo: rules.isListenedTo }),
		catalog,
		rules,
		register: () =>
			registerTriggerTypes(
				parts,
				builtInTypes.filter(({ ref }) => enable || ref !== triggerRefs.action),
			),
	};
}

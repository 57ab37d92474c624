import type { Clock, EventBus, Logger, Options, Storage } from "../../contract/index.ts";
import type { Processor } from "../rules/processor.ts";
import { createRuleIndex, type RuleIndex } from "../rules/rule-index.ts";
import { builtInTypes, triggerRefs } from "./built-in-types.ts";
import { type ChangeFeed, createChangeFeed } from "./change-feed.ts";
import { createDispatcher } from "./create-dispatcher.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { registerTriggerTypes } from "./register-types.ts";
import { createTriggerCatalog, type TriggerCatalog } from "./trigger-catalog.ts";

export interface TriggerParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly options: Options;
	readonly nodeId: string;
	readonly processor: Pick<Processor, "wake" | "reserve" | "dismiss">;
}

/** What the parts of the engine that cause events, or serve triggers, work with. */
export interface TriggerCore {
	readonly dispatcher: Dispatcher;
	readonly catalog: TriggerCatalog;
	readonly rules: RuleIndex;
	/** Tells of changes to trigger types, triggers and rules. */
	readonly changes: ChangeFeed;
	/** To be called before packs are registered: makes the built-in types known. */
	start(): Promise<void>;
	stop(): void;
}

export function createTriggerCore(parts: TriggerParts): TriggerCore {
	const changes = createChangeFeed(parts);
	const catalog = createTriggerCatalog({ storage: parts.storage, changes });
	const rules = createRuleIndex({ storage: parts.storage, changes });
	const { enable } = parts.options.action_sensor;
	return {
		dispatcher: createDispatcher({ ...parts, triggers: catalog, isListenedTo: rules.isListenedTo }),
		catalog,
		rules,
		changes,
		async start() {
			await changes.start();
			await registerTriggerTypes(
				parts,
				builtInTypes.filter(({ ref }) => enable || ref !== triggerRefs.action),
			);
		},
		stop: changes.stop,
	};
}

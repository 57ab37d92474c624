import { type Clock, type Options, type Runner, type Sensor, type Storage, SvcError } from "../contract/index.ts";
import { createPackConfigs } from "../features/packs/pack-configs.ts";
import { registerPacks } from "../features/packs/register-packs.ts";
import { createPolicies } from "../features/policies/policies.ts";
import { registerReactions } from "../features/rules/register-from-packs.ts";
import { createRuleSecrets } from "../features/rules/rule-secrets.ts";
import { createRuleTriggers } from "../features/rules/rule-triggers.ts";
import { createRules } from "../features/rules/rules.ts";
import type { RuleView } from "../features/rules/rules-api.ts";
import { registerSensors, toNamedSensor } from "../features/sensors/register-sensors.ts";
import { checkTimerParameters } from "../features/timers/schedule.ts";
import { createTriggerTypes } from "../features/triggers/trigger-types.ts";
import type { Page } from "./basics/page.ts";
import type { Principal } from "./basics/principal.ts";
import { createTriggerCore } from "./events/trigger-core.ts";
import { createCatalog } from "./executions/catalog.ts";
import type { TaggedLogger } from "./plugins/dependencies.ts";
import { createChangeFeed } from "./work/change-feed.ts";

export interface DraftParts {
	/** What a start would write goes here. */
	readonly storage: Storage;
	readonly clock: Clock;
	/** Told of what a start would skip, as its log would be. */
	readonly logger: TaggedLogger;
	readonly options: Options;
	readonly runners: ReadonlyMap<string, Runner>;
	readonly sensors: ReadonlyMap<string, Sensor>;
	/** Absolute pack directories, or directories of pack directories. */
	readonly packs: readonly string[];
	/** Absolute directory of pack configurations; may not exist. */
	readonly configs: string;
}

const silentBus = {
	capabilities: {},
	publish: () => {},
	subscribe: () => Promise.reject(new SvcError("SVC_UNAVAILABLE", "nothing is told to anybody")),
};
const noProcessor = { wake: () => {}, reserve: () => undefined, dismiss: async () => undefined };

/**
 * Make a storage say what the start of an engine would make it say of runner types, packs, triggers, sensors, rules and policies, in
 * the same order and by the same code, and start nothing. All rules afterwards, with secrets masked.
 */
export async function draftCatalog(given: DraftParts): Promise<readonly RuleView[]> {
	const parts = { ...given, eventBus: silentBus, nodeId: "" };
	const { storage, options } = parts;
	const changes = createChangeFeed(parts);
	const catalog = createCatalog({ ...parts, changes });
	const triggers = createTriggerCore({ ...parts, changes, processor: noProcessor });
	const types = createTriggerTypes({ ...parts, changes });
	const secrets = createRuleSecrets({ storage, catalog });
	const ruleTriggers = createRuleTriggers({ ...parts, catalog: triggers.catalog, checkParameters: checkTimerParameters });
	const rules = createRules({ ...parts, changes, triggers: ruleTriggers, secrets });
	const policies = createPolicies({ ...parts, changes, obey: async () => {} });
	const principal: Principal = { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } };
	await catalog.registerRunnerTypes(parts.runners);
	await triggers.register();
	const packs = await registerPacks({ ...parts, catalog }, parts.packs);
	const sensors = [...parts.sensors].map(([name, sensor]) => toNamedSensor(name, sensor));
	await registerSensors({ ...parts, types }, sensors);
	await registerReactions({ ...parts, types, rules, policies, principal }, packs);
	await createPackConfigs({ ...parts, packDirectory: catalog.packDirectory, directory: parts.configs, datastore: noDatastore }).check();
	const { items }: Page<RuleView> = await rules.list({}, {});
	return rules.mask(items);
}

/** Values are looked at and not rendered. */
const noDatastore = { accessFor: refuse, clearAccessFor: refuse };

function refuse(): never {
	throw new SvcError("SVC_UNAVAILABLE", "the datastore is not open");
}

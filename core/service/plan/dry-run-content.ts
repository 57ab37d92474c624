import { isDeepStrictEqual } from "node:util";
import type { ContentState, Finding, PlannedContent, PlannedRecord, PlannedRule, PlannedTrigger } from "../../cli/service-plan.ts";
import type { EntityKind, EntityMap, JsonObject, Storage, TriggerEntity } from "../../contract/index.ts";
import { isDefinedKind } from "../../features/packs/named-actions-exports.ts";
import type { RuleView } from "../../features/rules/rules-exports.ts";
import { maskTriggers } from "../../features/triggers/trigger-secrets-exports.ts";
import { timerTypes, toHookUrl, triggerRefs } from "../../features/triggers/trigger-type-refs-exports.ts";
import { getSystemClock } from "../../kernel/basics/clock.ts";
import { dryRunEngine } from "../../kernel/dry-run.ts";
import { DryRunStorage } from "../../kernel/dry-run-storage.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import type { CreateFeatures } from "../../kernel/feature-list.ts";
import type { CreatedPlugins } from "../../kernel/plugins/create-plugins.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { assertDistinctRoutes } from "../distinct-routes.ts";
import { toDependencies } from "../engine-dependencies.ts";
import { createFindingLogger } from "./finding-logger.ts";

type Kind = Extract<
	EntityKind,
	"runner_type" | "pack" | "action" | "sensor" | "trigger_type" | "trigger" | "rule" | "policy" | "action_alias"
>;

/** Kinds whose records a start may create. Those of features that the configuration leaves out are not stored. */
const toKinds = () =>
	["runner_type", "pack", "action", "sensor", "trigger_type", "trigger", "rule", "policy", "action_alias"].filter(isDefinedKind) as Kind[];

/** Fields that are ignored when records are compared: the id, and values that change with every write. */
const withoutMeaning = ["id", "revision", "turn", "registration"];

export interface ContentOptions {
	readonly config: ResolvedConfig;
	readonly plugins: Pick<CreatedPlugins, "runners" | "sensors" | "dialects">;
}

export interface DraftedContent {
	readonly content: PlannedContent;
	/** Parts of packs that a start would skip. */
	readonly warnings: readonly Finding[];
}

/**
 * Returns the content after a start, compared with the stored content, if `stored` is not undefined. Registers twice in memory: without
 * records, to find those that plugins and files define, and with the stored records.
 */
export async function planContent(parts: ContentOptions, stored: Storage | "nothing" | undefined): Promise<DraftedContent> {
	const said = new DryRunStorage();
	const warnings: Finding[] = [];
	const fresh = await draft(parts, said, warnings);
	if (stored === undefined) return { content: await toContent(said, fresh, async () => null), warnings };
	const before = new DryRunStorage();
	const after = new DryRunStorage();
	for (const kind of toKinds()) {
		const entities = stored === "nothing" ? [] : await stored.find(kind, {});
		for (const storage of [before, after]) await storage.insert(kind, entities);
	}
	const found: Finding[] = [];
	const rules = await draft(parts, after, found);
	const installed = new Set(after.all("pack").flatMap(({ ref, content }) => (content === null ? [] : [ref])));
	return { content: await toContent(after, rules, (kind, entity) => compare({ before, said, installed }, kind, entity)), warnings: found };
}

/** Writes the records that a start would write into `storage`. Returns all rules in it afterwards, with secrets masked. */
async function draft({ config, plugins }: ContentOptions, storage: Storage, findings: Finding[]): Promise<readonly RuleView[]> {
	const dependencies = toDependencies(config, {
		logger: { ...createFindingLogger(findings), addSecret: () => undefined, forgetSecret: () => undefined },
		clock: getSystemClock(),
		adminPassword: undefined,
		apiUrl: () => "",
		addresses: () => ({}),
	});
	const createFeatures: CreateFeatures = (kernel) => {
		const features = config.features(kernel);
		assertDistinctRoutes(features);
		return features;
	};
	const engine: Partial<Engine> = await dryRunEngine(dependencies, plugins, storage, createFeatures);
	// The type of the dry run does not say which features the configuration has.
	if (engine.rules === undefined) return [];
	const { items } = await engine.rules.list({}, {});
	return engine.rules.mask(items);
}

interface Compared {
	readonly before: Storage;
	readonly said: Storage;
	/** Refs of packs that were installed. A start leaves their records unchanged. */
	readonly installed: ReadonlySet<string>;
}

type Verdict = { readonly state: ContentState; readonly changes?: readonly string[] };
type Judge = <K extends Kind>(kind: K, entity: EntityMap[K]) => Promise<Verdict | null>;

async function compare<K extends Kind>({ before, said, installed }: Compared, kind: K, entity: EntityMap[K]): Promise<Verdict> {
	const old = await before.get(kind, entity.id);
	if (old === undefined) return { state: "new" };
	const changes = Object.keys(entity).filter(
		(field) => !withoutMeaning.includes(field) && !isDeepStrictEqual(entity[field as keyof EntityMap[K]], old[field as keyof EntityMap[K]]),
	);
	if (changes.length > 0) return { state: "changed", changes };
	const isSaid = !isFromStart(kind, entity) || isInstalled(entity, installed) || (await said.count(kind, toIdentity(entity) as object)) > 0;
	return { state: isSaid ? "same" : "left" };
}

function isInstalled(entity: object, installed: ReadonlySet<string>): boolean {
	return "pack" in entity && installed.has(String(entity.pack));
}

/** Returns true if an earlier start created the record. Records created over the API are removed only over the API. */
function isFromStart(kind: Kind, entity: object): boolean {
	if (kind === "sensor") return true;
	if ("metadata_file" in entity) return entity.metadata_file !== null;
	if ("path" in entity) return entity.path !== null;
	return kind === "runner_type";
}

function toIdentity(entity: object): object {
	return "ref" in entity ? { ref: entity.ref } : { name: (entity as { readonly name: string }).name };
}

async function toContent(storage: Storage, rules: readonly RuleView[], judge: Judge): Promise<PlannedContent> {
	const list = async (kind: Kind): Promise<readonly PlannedRecord[]> => {
		const records: PlannedRecord[] = [];
		for (const entity of await storage.find(kind, {})) {
			records.push({ ref: "ref" in entity ? entity.ref : entity.name, ...((await judge(kind, entity)) ?? { state: null }) });
		}
		return records.sort(byRef);
	};
	const states = new Map((await list("rule")).map((record) => [record.ref, record]));
	const triggers = await maskTriggers(storage, await storage.find("trigger", {}));
	const planned = await Promise.all(triggers.map(async (trigger) => [trigger, await judge("trigger", trigger)] as const));
	const ofTypes = (types: readonly string[]) =>
		planned.filter(([{ type }]) => types.includes(type)).map(([trigger, verdict]) => toTrigger(trigger, verdict?.state ?? null));
	return {
		runner_types: await list("runner_type"),
		packs: await list("pack"),
		actions: await list("action"),
		sensors: await list("sensor"),
		trigger_types: await list("trigger_type"),
		rules: rules.map((view) => toRule(view, states.get(view.rule.ref))),
		policies: await list("policy"),
		action_aliases: isDefinedKind("action_alias") ? await list("action_alias") : [],
		webhooks: ofTypes([triggerRefs.webhook]),
		timers: ofTypes(timerTypes),
	};
}

function byRef(one: PlannedRecord, other: PlannedRecord): number {
	return one.ref < other.ref ? -1 : 1;
}

function toRule({ rule, trigger }: RuleView, record: PlannedRecord | undefined): PlannedRule {
	return {
		...(record ?? { ref: rule.ref, state: null }),
		enabled: rule.enabled,
		trigger: { type: rule.trigger_type, parameters: trigger?.parameters ?? {} },
		action: { ref: rule.action_ref, parameters: rule.action_parameters },
		criteria: rule.criteria,
		description: rule.description,
	};
}

function toTrigger({ type, parameters }: TriggerEntity, state: ContentState): PlannedTrigger {
	const url: unknown = (parameters as JsonObject)["url"];
	return {
		state,
		type,
		parameters,
		...(type === triggerRefs.webhook && { path: `/v1/webhooks/${toHookUrl(String(url))}` }),
	};
}

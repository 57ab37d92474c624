import {
	isSvcError,
	type JsonObject,
	type RuleEnforcementEntity,
	type RuleEntity,
	type Storage,
	type TriggerInstanceEntity,
	toErrorMessage,
	type WriteOperation,
} from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { EventLease } from "../../kernel/events/event-handler.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import type { DatastoreAccess } from "../../language/templates/datastore.ts";
import { WorkBudget, workLimits } from "../../language/work-budget.ts";
import { collectDecrypted } from "../../secrets/encrypted-secrets.ts";
import { Redactor } from "../../secrets/redactor.ts";
import type { CompiledCriteria, CriteriaOptions, CriteriaVerdict } from "./criteria/index.ts";
import type { EnforcedEvent, Enforcer } from "./enforcer.ts";
import type { IndexedRule, RuleIndex } from "./rule-index.ts";
import type { RuleMetrics } from "./rule-metrics.ts";

export interface RuleProcessorDependencies extends Uses<"storage" | "clock" | "logger" | "sealedSecrets"> {
	readonly metrics: RuleMetrics;
	readonly rules: RuleIndex;
	readonly enforcer: Enforcer;
	/** Returns access to the datastore items that the patterns of a rule may use. */
	readonly datastoreOf: (rule: RuleEntity) => DatastoreAccess;
	/** Returns the rules whose authors may view the records that an event describes. */
	readonly keepPermitted: (rules: readonly IndexedRule[], instance: TriggerInstanceEntity) => Promise<readonly IndexedRule[]>;
}

/** Number of rules evaluated before control returns to the event loop. */
const breath = 200;
/**
 * Milliseconds of evaluation after which the remaining rules wait for the event-loop budget. Most events need less. If every rule waited,
 * behind the rules of all other events, an event with a hundred rules would take seconds.
 */
const glance = 1;
/** Maximum number of rules that act in one write. */
export const together = 16;
/** Number of attempts to process an event before it fails. */
const maximumAttempts = 20;

/** Evaluates all rules of a claimed event, lets the matching rules act, and closes the event. Rejects only while nothing can be stored. */
export async function processInstance(instance: TriggerInstanceEntity, lease: EventLease, parts: RuleProcessorDependencies): Promise<void> {
	const { storage, logger } = parts;
	try {
		if (instance.attempt > maximumAttempts) throw new Error(`processing was started ${maximumAttempts} times and never finished`);
		await actOn(instance, lease, parts);
	} catch (error) {
		if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
		const secrets = parts.sealedSecrets.decrypt(instance.known_secrets);
		const reason = toErrorMessage(secrets.redactError(error));
		const closing = toClosing(instance, { status: "processing_failed", failure_reason: reason });
		try {
			await storage.write([closing]);
			logger.error("trigger instance could not be processed", { trigger_instance_id: instance.id, error });
		} catch (refused) {
			if (!isSvcError(refused, "SVC_CONFLICT")) throw refused;
			logger.info("trigger instance is being processed by another node", { trigger_instance_id: instance.id });
		}
	}
}

async function actOn(instance: TriggerInstanceEntity, lease: EventLease, parts: RuleProcessorDependencies): Promise<void> {
	const { storage, enforcer } = parts;
	const rules = await parts.keepPermitted(await parts.rules.rulesOf(instance.trigger), instance);
	const look: Look = { event: { instance, trace: undefined }, earlier: await readEarlier(instance, storage), parts };
	const standard = await selectMatching(rules, "standard", look);
	const matching = standard.length > 0 ? standard : await selectMatching(rules, "backstop", look);
	parts.metrics.looked(rules.length, matching.length);
	const waiting = matching.filter(({ id }) => !look.earlier.has(id));
	const closing: WriteOperation[] = [toClosing(instance, { status: "processed" })];
	const trace = waiting.length === 0 ? undefined : await storage.get("trace", instance.trace_id);
	const storeWith = (also: readonly WriteOperation[]) => (acts: readonly WriteOperation[]) => storage.write([...acts, ...also]);
	while (waiting.length > together) {
		const group = waiting.splice(0, together);
		if (!(await enforcer.enforceTogether(group, { instance, trace }, storeWith([toHeld(instance)]))))
			await enforceEach(group, { instance, trace }, enforcer);
		if (!(await lease.renewIfDue())) return;
	}
	// The last group of rules acts in the write that also closes the event.
	if (waiting.length > 0 && (await enforcer.enforceTogether(waiting, { instance, trace }, storeWith(closing)))) return;
	const last = waiting.pop();
	await enforceEach(waiting, { instance, trace }, enforcer);
	const isClosed = last !== undefined && (await enforcer.enforce(last, { instance, trace }, closing));
	if (!isClosed) await storage.write(closing);
}

/** Lets each rule act in a separate write, so that an error in one rule does not prevent the others from acting. */
async function enforceEach(rules: readonly RuleEntity[], event: EnforcedEvent, enforcer: Enforcer): Promise<void> {
	const acts = rules.map((rule) => enforcer.enforce(rule, event, [toHeld(event.instance)]));
	// Wait for all before the first failure is thrown, so that no write is still running afterwards.
	await Promise.allSettled(acts);
	await Promise.all(acts);
}

interface Look {
	readonly event: EnforcedEvent;
	/** Statuses of enforcements that an earlier attempt to process the event stored, by rule id. */
	readonly earlier: ReadonlyMap<string, RuleEnforcementEntity["status"]>;
	readonly parts: RuleProcessorDependencies;
}

async function readEarlier({ id, attempt }: TriggerInstanceEntity, storage: Storage): Promise<Look["earlier"]> {
	if (attempt <= 1) return new Map();
	const found = await storage.find("rule_enforcement", { where: { trigger_instance_id: id }, fields: ["rule_id", "status"] });
	return new Map(found.map(({ rule_id, status }) => [rule_id, status]));
}

/**
 * Returns the rules of a type that match the event or have acted on it. Stores a failed enforcement for each rule that cannot be evaluated.
 */
async function selectMatching(
	rules: readonly IndexedRule[],
	type: RuleEntity["type"],
	{ event, earlier, parts }: Look,
): Promise<RuleEntity[]> {
	const matching: RuleEntity[] = [];
	const now = parts.clock.now();
	const eventWork = new EventWork();
	await waitForLoopBudget();
	let since = performance.now();
	for (const [index, { rule, criteria }] of rules.entries()) {
		if (rule.type !== type) continue;
		if (index % breath === breath - 1) await new Promise((resolve) => setImmediate(resolve));
		if (performance.now() - since > glance) {
			await waitForLoopBudget();
			since = performance.now();
		}
		const work = eventWork.nextRule();
		const decrypted: string[] = [];
		const options = criteria.usesDatastore ? { now, work, datastore: collectDecrypted(parts.datastoreOf(rule), decrypted) } : { now, work };
		const decided = decide(criteria, event.instance.payload, options);
		// Most rules need no datastore. Awaiting each of them would cost more than its evaluation.
		const verdict = decided instanceof Promise ? await decided : decided;
		if (verdict.matched || earlier.get(rule.id) === "succeeded") matching.push(rule);
		else if (verdict.error !== undefined && !earlier.has(rule.id)) {
			const problem = new Redactor(decrypted).redactText(toProblem(verdict.failed.key, verdict.error));
			await parts.enforcer.fail(rule, event, problem, [toHeld(event.instance)]);
		}
	}
	return matching;
}

function toProblem(key: string, error: string): string {
	return `${key === "" ? "its criteria" : `its criterion "${key}"`} cannot be decided: ${error}`;
}

/** Evaluates the criteria of a rule. Returns errors as a result, so that they do not prevent other rules from acting. */
export function decide(
	criteria: CompiledCriteria,
	payload: JsonObject,
	options: CriteriaOptions,
): Promise<CriteriaVerdict> | CriteriaVerdict {
	const toVerdict = (error: unknown): CriteriaVerdict => {
		if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
		return { matched: false, failed: { key: "", operator: "", pattern: null, value: null }, error: toErrorMessage(error) };
	};
	try {
		const evaluated = criteria.evaluate(payload, options);
		return evaluated instanceof Promise ? evaluated.catch(toVerdict) : evaluated;
	} catch (error) {
		return toVerdict(error);
	}
}

/**
 * Returns an update that changes nothing, but fails if another node has taken over the event, which may evaluate newer versions of the
 * rules.
 */
function toHeld({ id, fence }: TriggerInstanceEntity): WriteOperation {
	return { update: "trigger_instance", id, patch: { fence }, expected: { status: "processing", fence } };
}

function toClosing(
	{ id, fence }: TriggerInstanceEntity,
	outcome: { readonly status: "processed" } | { readonly status: "processing_failed"; readonly failure_reason: string },
): WriteOperation {
	const patch = { ...outcome, owner: null, fence: null, lease_expires_at: null };
	return { update: "trigger_instance", id, patch, expected: { status: "processing", fence } };
}

/**
 * Milliseconds of pattern searches: for each rule, for all rules of one event, and for each rule after that. The limit for each rule
 * prevents a deliberately slow pattern from using the time of other rules. The limit for the event prevents many such rules from delaying
 * it for minutes. The time allowed after that is far more than an ordinary search needs.
 */
const times = { rule: workLimits.searchMs, event: 200, afterwards: 2 };

/** Remaining search time of the rules of one event. */
class EventWork {
	#used = 0;
	#current: WorkBudget | undefined;

	/** Returns the budget of the next rule. */
	nextRule(): WorkBudget {
		this.#used += this.#current?.usedSearchMs ?? 0;
		this.#current = new WorkBudget({ ...workLimits, searchMs: this.#used < times.event ? times.rule : times.afterwards });
		return this.#current;
	}
}

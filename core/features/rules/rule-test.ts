import { type JsonObject, SvcError, toErrorMessage } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { hashParameters } from "../../kernel/events/trigger-catalog.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { TemplateSources } from "../../kernel/submission/parameter-rendering.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import { withEmptyContext } from "../../language/parameters/render.ts";
import { Rendering } from "../../language/parameters/rendering.ts";
import { type DatastoreAccess, renderWithLookups } from "../../language/templates/datastore.ts";
import { parseCiphertext } from "../../secrets/encryption/ciphertext.ts";
import type { TriggerInstances } from "../triggers/triggers-exports.ts";
import { compileCriteria } from "./criteria/index.ts";
import type { RuleSecrets } from "./rule-secrets.ts";
import type { Rules, RuleTestInput, RuleTestOutcome } from "./rules-exports.ts";

export interface RuleTestDependencies extends Uses<"storage" | "clock" | "dialects">, Pick<Kernel, "templateSources"> {
	readonly rules: Pick<Rules, "get">;
	readonly secrets: RuleSecrets;
	readonly maskPayloads: TriggerInstances["maskPayloads"];
}

/** Fields of a rule that a test evaluates. */
interface TestedRule {
	/** Ref of the trigger; undefined if no rule has such a trigger yet. */
	readonly trigger: string | undefined;
	readonly triggerType: string;
	readonly criteria: JsonObject;
	/** Ref of the action. */
	readonly action: string;
	readonly parameters: JsonObject;
	/** Author of the rule; undefined if the rule is not stored. */
	readonly author: string | undefined;
	readonly scopes: readonly string[] | null;
}

interface TestedEvent {
	/** Ref of a trigger or a trigger type. */
	readonly trigger: string;
	readonly payload: JsonObject;
}

/**
 * Returns what a rule would do with an event. Nothing is stored or started. Secrets are masked: in the payload of a stored event before
 * the evaluation, in the parameters after it.
 */
export async function testRule(input: RuleTestInput, tester: Principal, parts: RuleTestDependencies): Promise<RuleTestOutcome> {
	const rule = await readRule(input.rule, parts);
	const event = await readEvent(input.triggerInstance, parts);
	if (event.trigger !== rule.trigger && event.trigger !== rule.triggerType) {
		const reason = `the event belongs to trigger "${event.trigger}", but the rule uses "${rule.trigger ?? rule.triggerType}"`;
		return { matched: false, reason };
	}
	const access = toAccess(rule, tester, parts.templateSources);
	const deciding = new DecidingAccess(access, tester);
	await waitForLoopBudget();
	const verdict = await compileCriteria(rule.criteria).evaluate(event.payload, { now: parts.clock.now(), datastore: deciding });
	if (!verdict.matched) {
		const { error } = verdict;
		const failed = deciding.hasDecrypted ? { ...verdict.failed, pattern: secretMask } : verdict.failed;
		return { matched: false, reason: error ?? `criterion "${failed.key}" does not match`, failed };
	}
	try {
		const parameters = await renderParameters(rule.parameters, event.payload, toShownAccess(access));
		return { matched: true, parameters: await parts.secrets.maskRendered(rule.action, parameters) };
	} catch (error) {
		return { matched: false, reason: `the parameters of the action cannot be rendered: ${toErrorMessage(error)}` };
	}
}

/** Returns datastore access that is limited to items that both the tester and the author of the rule may view. */
function toAccess(
	{ author, scopes: authorScopes }: TestedRule,
	{ username, scopes }: Principal,
	{ items, systemUser }: TemplateSources,
): DatastoreAccess {
	const own = items.accessForGiven(systemUser, { author: username, scopes });
	if (author === undefined || (author === username && authorScopes === null)) return own;
	const authors = items.accessFor(systemUser, { author, scopes: authorScopes });
	return {
		async lookup(scope, name) {
			await authors.lookup(scope, name);
			return own.lookup(scope, name);
		},
		decrypt: (cipherText) => own.decrypt(cipherText),
	};
}

/**
 * Returns datastore access for rendering the parameters that a rule test returns. Secret items are replaced by the mask, whether or not the
 * template decrypts them.
 */
function toShownAccess(access: DatastoreAccess): DatastoreAccess {
	return {
		async lookup(scope, name) {
			const text = await access.lookup(scope, name);
			return text === undefined || parseCiphertext(text) === undefined ? text : secretMask;
		},
		decrypt: async () => secretMask,
	};
}

/**
 * Datastore access for evaluating criteria, which needs the real values. Only administrators may decrypt: other testers could choose events
 * that reveal a secret character by character.
 */
class DecidingAccess implements DatastoreAccess {
	readonly #access: DatastoreAccess;
	readonly #tester: Principal;
	hasDecrypted = false;

	constructor(access: DatastoreAccess, tester: Principal) {
		this.#access = access;
		this.#tester = tester;
	}

	lookup(...item: Parameters<DatastoreAccess["lookup"]>): Promise<string | undefined> {
		return this.#access.lookup(...item);
	}

	async decrypt(cipherText: string): Promise<string> {
		const { isAdmin, username } = this.#tester;
		if (!isAdmin)
			throw new SvcError("SVC_FORBIDDEN", `decrypt_kv: requires administrator access in a test, which "${username}" does not have`);
		this.hasDecrypted = true;
		return this.#access.decrypt(cipherText);
	}
}

/** Renders the given parameters without the definitions and defaults of the action. */
function renderParameters(parameters: JsonObject, payload: JsonObject, access: DatastoreAccess): Promise<JsonObject> {
	const context = withEmptyContext({ trigger: payload });
	return renderWithLookups(access, (datastore) => {
		const source = (name: string) => (Object.hasOwn(parameters, name) ? { value: parameters[name] ?? null, isRendered: true } : undefined);
		const rendering = new Rendering({}, { sourceOf: source, datastore, context });
		return Object.fromEntries(Object.keys(parameters).map((name) => [name, rendering.resolve(name)]));
	});
}

async function readRule(rule: RuleTestInput["rule"], { rules, storage, dialects }: RuleTestDependencies): Promise<TestedRule> {
	if (typeof rule === "string") {
		const { trigger, trigger_type, criteria, action_ref, action_parameters, user, scopes } = (await rules.get(rule)).rule;
		return { trigger, triggerType: trigger_type, criteria, action: action_ref, parameters: action_parameters, author: user, scopes };
	}
	const { parameters = {} } = rule.trigger;
	const type = dialects.triggerType(rule.trigger.type);
	const where = { type, parameters_hash: hashParameters(parameters) };
	const [known] = await storage.find("trigger", { where, fields: ["ref"], limit: 1 });
	const { criteria = {}, action } = rule;
	const { parameters: given = {} } = action;
	return { trigger: known?.ref, triggerType: type, criteria, action: action.ref, parameters: given, author: undefined, scopes: null };
}

/** Returns the event of a test. If the event is given instead of stored, its trigger need not exist. */
async function readEvent(
	event: RuleTestInput["triggerInstance"],
	{ storage, dialects, maskPayloads }: RuleTestDependencies,
): Promise<TestedEvent> {
	if (typeof event !== "string") return { trigger: dialects.triggerType(event.trigger), payload: event.payload };
	const [found] = await storage.find("trigger_instance", { where: { id: event }, limit: 1 });
	if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `trigger instance "${event}" cannot be found`);
	const [shown = found] = await maskPayloads([found]);
	return { trigger: found.trigger, payload: shown.payload };
}

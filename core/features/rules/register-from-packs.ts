import { isDeepStrictEqual } from "node:util";
import { isSvcError, type Logger, type Storage, toErrorMessage } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { checkPolicy } from "../policies/check-policy.ts";
import type { Policies, PolicyInput } from "../policies/policies-api.ts";
import type { TriggerTypeInput, TriggerTypes } from "../triggers/triggers-api.ts";
import { type FromFile, type PackReactions, readPackReactions } from "./read-pack-reactions.ts";
import type { StoredRules } from "./rules.ts";
import type { RuleInput, RuleView } from "./rules-api.ts";

export interface ReactionParts {
	readonly storage: Storage;
	readonly logger: Logger;
	readonly types: TriggerTypes;
	readonly rules: Pick<StoredRules, "create" | "get" | "update">;
	readonly policies: Pick<Policies, "create" | "update">;
	/** Whose the rules of packs are. */
	readonly principal: Principal;
}

/** Make the stored trigger types, rules and policies say what the files of packs say. All types come first: a rule may use another pack's. */
export async function registerReactions(
	parts: ReactionParts,
	packs: readonly { readonly ref: string; readonly path: string }[],
): Promise<void> {
	const contents: PackReactions[] = [];
	for (const pack of packs) contents.push(await readPackReactions(pack));
	for (const problem of contents.flatMap(({ problems }) => problems)) parts.logger.warn("pack content was skipped", { problem });
	for (const { triggerTypes } of contents) await each(parts, triggerTypes, registerType);
	for (const { rules } of contents) await each(parts, rules, registerRule);
	for (const { policies } of contents) await each(parts, policies, registerPolicy);
}

async function each<T>(
	parts: ReactionParts,
	resources: readonly FromFile<T>[],
	register: (parts: ReactionParts, input: T) => Promise<void>,
): Promise<void> {
	for (const { file, input } of resources) {
		try {
			await register(parts, input);
		} catch (error) {
			// The start is tried again then; and another node that starts at the same time has made the same record.
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			if (isSvcError(error, "SVC_CONFLICT")) continue;
			parts.logger.warn("pack content was skipped", { problem: { file, message: toErrorMessage(error) } });
		}
	}
}

/** What a type has of which its file says nothing. */
const noSchemas = { description: "", payload_schema: {}, parameters_schema: {}, tags: [] };

/** Make a trigger type, or make it say what it should. */
export async function registerType({ storage, types }: Pick<ReactionParts, "storage" | "types">, input: TriggerTypeInput): Promise<void> {
	const ref = `${input.pack}.${input.name}`;
	const [known] = await storage.find("trigger_type", { where: { ref }, limit: 1 });
	if (known === undefined) await types.create(input);
	else if (!isDeepStrictEqual({ ...known, ...noSchemas, ...input }, known)) await types.update(ref, input);
}

/**
 * Whether a rule is enabled is for its file to say at first, and for operators afterwards. Whoever changed it was its author
 * until now: what it says again is the file's.
 */
async function registerRule({ storage, rules, principal }: ReactionParts, input: RuleInput): Promise<void> {
	const ref = `${input.pack}.${input.name}`;
	const [known] = await storage.find("rule", { where: { ref }, limit: 1 });
	if (known === undefined) await rules.create(input, principal);
	else if (known.user !== principal.username || !says(await rules.get(ref), input)) {
		await rules.update(ref, { ...input, enabled: known.enabled }, principal);
	}
}

/** As with rules: whether it is enabled is for operators, once it is there. */
async function registerPolicy({ storage, policies }: ReactionParts, input: PolicyInput): Promise<void> {
	const [known] = await storage.find("policy", { where: { ref: `${input.pack}.${input.name}` }, limit: 1 });
	if (known === undefined) {
		await policies.create(input);
		return;
	}
	const { enabled } = known;
	if (!isDeepStrictEqual({ ...known, ...checkPolicy({ ...input, enabled }) }, known))
		await policies.update(known.ref, { ...input, enabled });
}

/** Whether a rule is what a file says already. */
function says({ rule, trigger }: RuleView, input: RuleInput): boolean {
	const { description = "", type, criteria = {}, action, tags = [], metadata_file } = input;
	return isDeepStrictEqual(
		[
			rule.description,
			rule.type,
			rule.type_parameters,
			rule.criteria,
			rule.action_ref,
			rule.action_parameters,
			rule.tags,
			rule.metadata_file,
			rule.trigger_type,
			trigger?.parameters,
		],
		[
			description,
			type?.ref ?? "standard",
			type?.parameters ?? {},
			criteria,
			action.ref,
			action.parameters ?? {},
			tags,
			metadata_file,
			input.trigger.type,
			input.trigger.parameters ?? {},
		],
	);
}

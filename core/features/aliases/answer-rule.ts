import { isDeepStrictEqual } from "node:util";
import { isSvcError } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { RuleInput, Rules } from "../rules/rules-api.ts";

/** Rule that posts results to a chat: for each notification that names a channel, on the route that the chat bridge has chosen. */
const answerRule: RuleInput & { readonly pack: string } = {
	name: "notify",
	pack: "chatops",
	description: "Says in a chat what has come of what was asked for there.",
	trigger: { type: "core.svc.generic.notifytrigger" },
	criteria: {
		"trigger.data.source_channel": { type: "exists", pattern: "" },
		"trigger.route": { type: "matchregex", pattern: "^[A-Za-z0-9_-]{1,64}$" },
	},
	action: {
		ref: "chatops.post_result",
		parameters: {
			execution_id: "{{ trigger.execution_id }}",
			channel: "{{ trigger.data.source_channel }}",
			user: "{{ trigger.data.user or '' }}",
			context: "{{ (trigger.data.source_context or {}) | to_json_string }}",
			route: "{{ trigger.route }}",
		},
	},
	enabled: true,
};

export interface AnswerRuleOptions extends Uses<"storage"> {
	readonly rules: Pick<Rules, "create" | "update">;
	/** Owner of the rule. */
	readonly principal: Principal;
}

/** Creates the rule that delivers answers to chats, or updates it if it differs. An existing rule stays disabled if it was disabled. */
export async function registerAnswerRule({ storage, rules, principal }: AnswerRuleOptions): Promise<void> {
	const { pack, name, description, criteria, action } = answerRule;
	const [known] = await storage.find("rule", { where: { ref: `${pack}.${name}` }, limit: 1 });
	if (known === undefined) {
		await rules.create(answerRule, principal).catch((error: unknown) => {
			// Another node has created the rule at the same time.
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		});
		return;
	}
	const said = [known.description, known.criteria, known.action_ref, known.action_parameters, known.user];
	if (isDeepStrictEqual(said, [description, criteria, action.ref, action.parameters, principal.username])) return;
	await rules.update(known.ref, { ...answerRule, enabled: known.enabled }, principal);
}

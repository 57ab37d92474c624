import { stringify } from "yaml";
import { defineRunner, type JsonObject, type RunContext } from "../../contract/index.ts";
import type { PackFiles } from "./whole-service.test-support.ts";

const canary = (kind: string) => `canary-${kind}-wren`;

/** Each kind of secret once, as a value of its own. What a test looks for is found nowhere by chance. */
export const canaries = {
	parameter: canary("parameter"),
	odd: `canary-odd "wren" \\ l'été 🐤`,
	lines: "canary-lines-first wren\ncanary-lines-second wren\n",
	nested: canary("nested"),
	element: canary("element"),
	whole: canary("whole"),
	number: 1_908_274_563,
	default: canary("default"),
	configuration: canary("configuration"),
	configuredItem: canary("configured-item"),
	item: canary("item"),
	jsonItem: canary("json-item"),
	ruleItem: canary("rule-item"),
	noticeItem: canary("notice-item"),
	answer: canary("answer"),
	result: canary("result"),
	alias: canary("alias"),
	trigger: canary("trigger"),
} as const;

/** Lets be written in a chat what makes the parrot say everything. */
export const canaryAlias = {
	name: "sing",
	pack: "aviary",
	action_ref: "aviary.parrot",
	formats: ["sing {{ pin }}"],
	immutable_parameters: { odd: canaries.alias, plain: "{{ odd }}" },
	ack: { format: "{{ execution.parameters }} {{ actionalias }}", extra: { all: "{{ execution }}" } },
	result: { format: "{{ execution.parameters }} {{ execution.result }} {{ actionalias }}", extra: { all: "{{ execution }}" } },
};

/** Acts on the events of a trigger with a secret parameter. */
export const canaryRule = {
	name: "guarded",
	pack: "aviary",
	enabled: true,
	trigger: { type: "aviary.guarded", parameters: { pin: canaries.trigger, colour: "red" } },
	action: { ref: "aviary.hearer", parameters: { note: "{{ trigger.said }}" } },
};

/** Items of the datastore by name, all of them secret. */
export const canaryItems: Readonly<Record<string, string>> = {
	configured: canaries.configuredItem,
	item: canaries.item,
	json: JSON.stringify({ user: "wren", password: canaries.jsonItem }),
	rule: canaries.ruleItem,
	notice: canaries.noticeItem,
};

/** Parameters of `aviary.parrot` with a secret in every place. */
export const canaryParameters = {
	pin: canaries.parameter,
	odd: canaries.odd,
	lines: canaries.lines,
	options: { key: canaries.nested, colour: "red" },
	list: [canaries.element],
	whole: { a: [{ b: canaries.whole }] },
	number: canaries.number,
};

/** Says everything it knows, in every way and on every channel. `heard` gets the token of each run. */
export const parrot = defineRunner("parrot", ({ heard = [] }: { readonly heard?: string[] } = {}) => ({
	description: "Says everything it knows.",
	capabilities: { streaming: true },
	outputKey: "echoed",
	parameters: {},
	async run(context: RunContext) {
		const { actionParameters, packConfig, environment, emit, captured, announce, dispatch, logger } = context;
		const token = environment["SVC_ACTION_AUTH_TOKEN"] ?? "";
		heard.push(token);
		const known: JsonObject = { parameters: actionParameters, packConfig, token };
		if (actionParameters["note"] !== undefined) {
			// What others have said is long already.
			await emit("stdout", toTexts(known).join("\n"));
			return { succeeded: true, result: { heard: known } };
		}
		for (const text of toSayings(known)) await emit("stdout", `${text}\n`);
		// Cut between any two characters, at any of which a secret may begin or end.
		if (actionParameters["mode"] === "spell") for (const character of JSON.stringify(known)) await emit("stderr", character);
		await emit("other", `${"x".repeat(65_500)}${toTexts(known).join(" ")}`);
		logger.warn("the parrot says", { said: JSON.stringify(known), text: toTexts(known).join(" ") });
		announce("said", { said: known, text: JSON.stringify(known) });
		if (actionParameters["mode"] === "fly") await dispatch("aviary.flown", { said: known }, { traceTag: `flown ${toTexts(known)[0]}` });
		if (actionParameters["mode"] === "throw") throw new Error(`it said ${JSON.stringify(known)}`);
		const result = { said: known, names: { [toTexts(known).join("/")]: 1 }, stdout: captured("stdout").text };
		const echoed = { minted: actionParameters["mode"] === "mint" ? canaries.result : "nothing", copy: "" };
		return { succeeded: actionParameters["mode"] !== "fail", result: { ...result, echoed, aside: echoed.minted } };
	},
}));

/** All that is known, in every way in which somebody may say it. */
export function toSayings(known: JsonObject): readonly string[] {
	const json = JSON.stringify(known);
	return [
		...toTexts(known),
		json,
		JSON.stringify({ json }),
		...toTexts(known).map((text) => Buffer.from(`user:${text}`).toString("base64")),
		...toTexts(known).map((text) => encodeURIComponent(text)),
	];
}

function toTexts(value: unknown): readonly string[] {
	if (typeof value === "string" || typeof value === "number") return [String(value)];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(toTexts) : [];
}

const secret = { type: "string", secret: true };
const text = { type: "string" };
const rule = (name: string, trigger: string, criteria: object, parameters: object) => ({
	name,
	pack: "aviary",
	enabled: true,
	trigger: { type: trigger },
	criteria,
	action: { ref: "aviary.hearer", parameters },
});
const ended = (action: string) => ({ "trigger.action_name": { type: "equals", pattern: action } });

const parameters = {
	pin: secret,
	odd: secret,
	lines: secret,
	options: { type: "object", properties: { key: secret, colour: text } },
	list: { type: "array", items: secret },
	whole: { type: "object", secret: true },
	number: { type: "integer", secret: true },
	default: { ...secret, default: canaries.default },
	plain: { type: "string", default: "{{ pin }} in a text" },
	configured: { type: "string", default: "with {{ config_context.pin }}" },
	item: { type: "string", default: "with {{ svckv.system.item | decrypt_kv }}" },
	part: { type: "string", default: "{{ (svckv.system.json | decrypt_kv | from_json_string).password }}" },
	fixed: { type: "string", default: "{{ svckv.system.item | decrypt_kv }}", immutable: true },
	mode: { type: "string", default: "say" },
};
const output_schema = { minted: secret, copy: text };

const files: Readonly<Record<string, object>> = {
	"pack.yaml": { ref: "aviary", name: "aviary", description: "Birds.", version: "1.0.0", author: "somebody" },
	"config.schema.yaml": { pin: secret, item: { ...secret, default: "{{ svckv.system.configured }}" }, colour: text },
	"actions/parrot.yaml": {
		name: "parrot",
		runner_type: "parrot",
		parameters,
		output_schema,
		notify: {
			"on-complete": {
				message: "{{ svckv.system.notice | decrypt_kv }} {{ action_parameters.pin }}",
				data: { all: "{{ action_results }}" },
				routes: ["hawk"],
			},
		},
	},
	// Flies to a worker with all that the parrot has.
	"actions/courier.yaml": {
		name: "courier",
		runner_type: "parrot",
		parameters: { ...parameters, svc_worker_labels: { default: ["far"], immutable: true } },
		output_schema,
	},
	"actions/hearer.yaml": { name: "hearer", runner_type: "parrot", parameters: { note: {}, extra: {} } },
	"actions/asker.yaml": { name: "asker", runner_type: "inquirer", parameters: {} },
	"triggers/flown.yaml": { name: "flown", pack: "aviary", payload_schema: { type: "object" } },
	"triggers/guarded.yaml": {
		name: "guarded",
		pack: "aviary",
		parameters_schema: { type: "object", properties: { pin: secret, colour: text } },
		payload_schema: { type: "object" },
	},
	"rules/heard.yaml": rule("heard", "core.svc.generic.actiontrigger", ended("aviary.parrot"), {
		note: "{{ trigger }}",
		extra: "{{ svckv.system.rule | decrypt_kv }}",
	}),
	"rules/broken.yaml": rule("broken", "core.svc.generic.actiontrigger", ended("aviary.parrot"), {
		note: "{{ {}[trigger.result.stdout] }} {{ {}[svckv.system.rule | decrypt_kv] }}",
	}),
	"rules/undecided.yaml": rule(
		"undecided",
		"core.svc.generic.actiontrigger",
		{ ...ended("aviary.parrot"), "trigger.status": { type: "equals", pattern: "{{ {}[svckv.system.rule | decrypt_kv] }}" } },
		{ note: "never" },
	),
	"rules/noticed.yaml": rule(
		"noticed",
		"core.svc.generic.notifytrigger",
		{},
		{ note: "{{ trigger.message }}", extra: "{{ trigger.data }}" },
	),
	"rules/flown.yaml": rule("flown", "aviary.flown", {}, { note: "{{ trigger.said }}" }),
	"rules/answered.yaml": rule("answered", "core.svc.generic.actiontrigger", ended("aviary.asker"), {
		note: "{{ trigger.result.response }}",
	}),
	"policies/retry.yaml": {
		name: "retry",
		pack: "aviary",
		resource_ref: "aviary.parrot",
		policy_type: "action.retry",
		parameters: { retry_on: "failure", max_retry_count: 1 },
	},
	"policies/together.yaml": {
		name: "together",
		pack: "aviary",
		resource_ref: "aviary.parrot",
		policy_type: "action.concurrency.attr",
		parameters: { threshold: 4, action: "delay", attributes: ["pin"] },
	},
};

export const canaryPack: PackFiles = Object.fromEntries(
	Object.entries(files).map(([path, content]) => [`aviary/${path}`, stringify(content)]),
);

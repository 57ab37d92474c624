import { pick, type Random } from "../../core/testing/guarantees/random.test-support.ts";
import { hostilePatterns, longWord } from "./hostile.ts";
import { type JsonTree, toTree } from "./json-tree.ts";
import type { Memory } from "./memory.ts";
import { filePack } from "./places.ts";
import { makeMembers, makeObjectSchema, makeParameterSchemas } from "./schemas.ts";

/** What a request is made from. */
export interface Source {
	readonly random: Random;
	readonly memory: Memory;
	/** A name that nothing has. */
	readonly fresh: string;
}

type Sample = (source: Source) => unknown;

const runners = ["noop", "noop", "noop", "inquirer", "announcement", "inject-trigger"];
const hooks = ["fuzz", "a/b"];
const operators = ["equals", "regex", "iregex", "matchregex", "matchwildcard", "contains", "exists", "search", "timediff_lt", "inside"];
const packs = ["default", filePack];
const filePaths = [
	"a.sh",
	"b.sh",
	"lib/a.sh",
	"actions/a.yaml",
	"pack.yaml",
	"actions/../../fuzz",
	"../../fuzz",
	"actions//./a",
	"actions/\0",
];
const search = "{{ trigger.body.a | regex_search('^(a+)+$') }}";
const templates = [
	search,
	search.repeat(60),
	"{{ trigger.body.a }}",
	"{{ trigger }}",
	`{{ trigger.body.a | regex_match('^(a+)+$') }}`,
	"{{ a | to_json_string }}",
	longWord,
];

const chatFormats = ["run {{ a }}", "run {{ a=1 }} {{ b={} }}", "(?i)x(a+)+{{ b }}", "(?<a>\\w+)", `say ${longWord} {{ a }}`];
const chatCommands = ["run a", 'run "a b" b={"c": 1}', `x${"a".repeat(3_000)}`, `run ${longWord}`, "run {{ svckv.system.a }}", "“a” 'b `c"];

const action = ({ random, memory }: Source) => memory.anyRef(random, "actions") ?? "core.noop";
const sometimes = <T>(random: Random, value: () => T) => (random(3) === 0 ? value() : undefined);

/** Bodies that the service takes, by method and path; of the others the schema tells enough. */
export const samples: Readonly<Record<string, Sample>> = {
	"POST /actions": makeAction,
	"PUT /actions/:ref": makeAction,
	"POST /actions/:ref/clone": ({ random, fresh }) => ({ dest_pack: pick(random, packs), dest_action: fresh, overwrite: random(2) === 0 }),
	"DELETE /actions/:ref": ({ random }) => ({ remove_files: random(2) === 0 }),
	"POST /executions": (source) => ({
		...(source.random(5) === 0
			? { action: "default.ask", parameters: { schema: makeObjectSchema(source.random) } }
			: { action: action(source), parameters: makeMembers(source.random) }),
		context: sometimes(source.random, () => ({ trace_context: { trace_tag: source.fresh } })),
		notify: sometimes(source.random, () => ({ "on-complete": { message: "{{ a }}", routes: ["a"] } })),
		delay: sometimes(source.random, () => 3_600_000),
	}),
	"POST /executions/:id/re_run": ({ random }) => ({ parameters: makeMembers(random), delay: 1 }),
	"PUT /executions/:id": ({ random }) => ({ status: pick(random, ["canceled", "succeeded", "pausing"]), result: makeMembers(random) }),
	"PUT /inquiries/:id": ({ random, memory }) => ({ id: memory.last("inquiries") ?? "0", response: makeMembers(random) }),
	"POST /triggertypes": makeTriggerType,
	"PUT /triggertypes/:ref": makeTriggerType,
	"POST /triggers": makeTrigger,
	"PUT /triggers/:ref": makeTrigger,
	"POST /rules": makeRule,
	"PUT /rules/:ref": makeRule,
	"POST /rules/test": (source) => ({
		rule: makeRule(source),
		trigger_instance: { trigger: "core.svc.webhook", payload: { body: makeMembers(source.random) } },
	}),
	"POST /policies": makePolicy,
	"POST /actionalias": makeAlias,
	"PUT /actionalias/:ref": makeAlias,
	"POST /actionalias/match": ({ random }) => ({ command: pick(random, chatCommands) }),
	"POST /aliasexecution": ({ random, fresh }) => ({
		name: fresh,
		format: pick(random, chatFormats),
		command: pick(random, chatCommands),
		source_channel: "a",
		source_context: makeMembers(random),
	}),
	"POST /aliasexecution/match_and_execute": ({ random }) => ({
		command: pick(random, chatCommands),
		source_channel: "a",
		notification_route: sometimes(random, () => "chatops"),
	}),
	"PUT /policies/:ref": makePolicy,
	"PUT /keys/:name": ({ random, fresh }) => ({
		value: pick(random, ["1", "{{ a }}", longWord, fresh]),
		secret: random(2) === 0,
		ttl: 3_600,
	}),
	"POST /apikeys": ({ random }) => ({ scopes: pick(random, [["action_list"], ["webhook:a"], []]), metadata: makeMembers(random) }),
	"PUT /apikeys/:key": ({ random }) => ({ enabled: random(2) === 0, metadata: makeMembers(random) }),
	"POST /purge/:records": ({ random }) => ({ timestamp: "2001-01-01T00:00:00Z", dry_run: random(2) === 0 }),
	"POST /webhooks/**:url": ({ random }) => makeMembers(random),
	"PUT /configs/:pack": ({ random }) => makeMembers(random),
	"PUT /runnertypes/:name": () => ({ enabled: true }),
};

/** Segments of paths that name no record of the memory. */
export const segments: Readonly<Record<string, Sample>> = {
	"**:url": ({ random }) => pick(random, hooks),
	":records": ({ random }) => pick(random, ["executions", "trigger-instances", "trigger_instances", "traces"]),
	":name": ({ random, memory }) => memory.any(random, "keys") ?? "fuzz",
};

function makeAction({ random, fresh }: Source): unknown {
	const hasFiles = random(4) === 0;
	return {
		name: fresh,
		pack: hasFiles ? filePack : "default",
		data_files: hasFiles ? [{ file_path: pick(random, filePaths), content: "a" }] : undefined,
		metadata_file: hasFiles ? sometimes(random, () => pick(random, ["actions/a.yaml", ...filePaths])) : undefined,
		runner_type: pick(random, runners),
		description: sometimes(random, () => longWord),
		parameters: makeParameterSchemas(random),
		output_schema: random(2) === 0 ? makeObjectSchema(random) : undefined,
		tags: [{ name: "a", value: "b" }],
		notify: sometimes(random, () => ({ "on-success": { message: "{{ a }}" } })),
	};
}

function makeTriggerType({ random, fresh }: Source): unknown {
	return {
		name: fresh,
		pack: "default",
		parameters_schema: sometimes(random, () => makeObjectSchema(random)) ?? { type: "object", properties: makeParameterSchemas(random) },
		payload_schema: sometimes(random, () => makeObjectSchema(random)),
		tags: sometimes(random, () => [{ name: "a", value: "b" }]),
	};
}

function makeTrigger({ random, memory, fresh }: Source): unknown {
	if (random(4) === 0) return { type: "core.svc.IntervalTimer", parameters: { unit: "weeks", delta: 1 + random(1_000) } };
	return {
		name: fresh,
		pack: "default",
		type: memory.anyRef(random, "triggertypes") ?? "core.svc.webhook",
		parameters: makeMembers(random),
	};
}

function makeRule(source: Source): unknown {
	const { random, memory, fresh } = source;
	const hook = {
		type: "core.svc.webhook",
		parameters: { url: pick(random, hooks), ...sometimes(random, () => ({ challenge: { query: pick(random, ["a", "hub.challenge"]) } })) },
	};
	const other = { type: memory.anyRef(random, "triggertypes") ?? "core.svc.generic.inquiry", parameters: makeMembers(random) };
	return {
		name: fresh,
		pack: "default",
		enabled: true,
		trigger: random(3) > 0 ? hook : other,
		criteria: sometimes(random, () => makeCriteria(random)),
		action: { ref: action(source), parameters: { a: pick(random, templates), b: pick(random, templates) } },
		tags: sometimes(random, () => [{ a: "b" }]),
	};
}

function makeCriteria(random: Random): JsonTree {
	const pattern = { type: pick(random, operators), pattern: pick(random, hostilePatterns) };
	const each = { "item.a": pattern, item: pattern };
	return toTree({
		[pick(random, ["trigger.body.a", "trigger.body", "trigger.headers"])]:
			random(3) === 0 ? { type: "search", condition: pick(random, ["any", "all"]), pattern: each } : pattern,
	});
}

function makeAlias(source: Source): unknown {
	const { random, fresh } = source;
	const representation = [pick(random, chatFormats), pick(random, hostilePatterns)];
	return {
		name: fresh,
		pack: "default",
		action_ref: action(source),
		formats: [pick(random, chatFormats), { display: fresh, representation, match_multiple: random(2) === 0 }],
		ack: { format: pick(random, templates), extra: makeMembers(random) },
		result: { format: pick(random, templates) },
		immutable_parameters: { a: pick(random, templates) },
	};
}

function makePolicy(source: Source): unknown {
	const { random, fresh } = source;
	const parameters = pick(random, [
		["action.concurrency", { threshold: random(4), action: pick(random, ["delay", "cancel"]) }],
		["action.concurrency.attr", { threshold: 1, attributes: ["a", longWord] }],
		["action.retry", { retry_on: "failure", max_retry_count: 1 + random(5), delay: 0 }],
	] as const);
	return { name: fresh, pack: "default", resource_ref: action(source), policy_type: parameters[0], parameters: parameters[1] };
}

import * as assert from "node:assert/strict";
import { stringify } from "yaml";
import { actionChain } from "../../../plugins-runner/action-chain/index.ts";
import { workflow } from "../../../plugins-runner/workflow/index.ts";
import { until } from "../guarantees/until.test-support.ts";
import type { GuardedService } from "../http/guarded-service.test-support.ts";
import { chatty, hostileText } from "./chatty.test-support.ts";

const toAction = (name: string, runner_type = "workflow", parameters = {}) =>
	stringify({ name, runner_type, entry_point: `workflows/${name}.yaml`, parameters });

/** Items, a condition, a way that is not taken, a loop of two, and a join; the last task fails. */
const whole = {
	version: "1.0",
	vars: [{ rounds: 0 }],
	tasks: {
		begin: { next: [{ do: "check, other" }] },
		check: {
			with: "<% list(alpha, beta, gamma) %>",
			action: "yard.talk",
			input: { text: "checked <% item() %>" },
			next: [
				{ when: "<% succeeded() %>", do: "both" },
				{ when: "<% failed() %>", do: "never" },
			],
		},
		never: { action: "yard.talk" },
		other: {
			action: "yard.talk",
			input: { text: "round <% ctx(rounds) %>" },
			next: [
				{ when: "<% succeeded() and ctx(rounds) < 1 %>", publish: [{ rounds: "<% ctx(rounds) + 1 %>" }], do: "other" },
				{ when: "<% succeeded() and ctx(rounds) >= 1 %>", do: "both" },
			],
		},
		both: { join: "all", action: "yard.talk", input: { fail: `broken ${hostileText.replace("\u0000", "")}` } },
	},
};

/** A task that goes on until it is ended, and one behind it. */
const waiting = {
	version: "1.0",
	tasks: { hold: { action: "yard.talk", input: { wait: true }, next: [{ do: "after" }] }, after: { action: "yard.talk" } },
};

/** Ends at once, with so many items. */
const many = {
	version: "1.0",
	input: ["count"],
	tasks: { each: { with: "<% range(ctx(count)) %>", action: "yard.talk" } },
};

/** The second of three items fails. */
const halves = {
	version: "1.0",
	tasks: { each: { with: "<% list(a, b, c) %>", action: "yard.talk", input: { fail: "<% switch(item() = b => broken, true => '') %>" } } },
};

const large = {
	version: "1.0",
	tasks: Object.fromEntries(
		Array.from({ length: 100 }, (_, index) => [`step${index}`, { ...(index < 90 && { next: [{ do: `step${index + 10}` }] }) }]),
	),
};

const chain = {
	chain: [
		{ name: "first", ref: "yard.talk", parameters: { text: "one" }, "on-success": "second" },
		{ name: "second", ref: "yard.talk" },
	],
};

/** Options for `withWeb`: a pack of workflows. */
export const yard = {
	runners: [chatty(), workflow(), actionChain()],
	packs: {
		"yard/pack.yaml": stringify({ ref: "yard", name: "yard", description: "Flows.", version: "1.0.0", author: "somebody" }),
		"yard/actions/talk.yaml": stringify({ name: "talk", runner_type: "chatty" }),
		...Object.fromEntries(
			Object.entries({ whole, waiting, halves, large }).flatMap(([name, definition]) => [
				[`yard/actions/${name}.yaml`, toAction(name)],
				[`yard/actions/workflows/${name}.yaml`, stringify(definition)],
			]),
		),
		"yard/actions/many.yaml": toAction("many", "workflow", { count: { type: "integer", default: 2_000 } }),
		"yard/actions/workflows/many.yaml": stringify(many),
		"yard/actions/line.yaml": toAction("line", "action-chain"),
		"yard/actions/workflows/line.yaml": stringify(chain),
	},
};

type Record_ = Readonly<Record<string, unknown>>;

/** Begin an execution and wait until it has this status; its id. */
export async function beginUntil(
	{ ask }: Pick<GuardedService, "ask">,
	token: string,
	action: string,
	{ status, parameters = {} }: { readonly status: string; readonly parameters?: object },
): Promise<string> {
	const { body, status: code } = await ask(token, "POST", "/v1/executions", { action, parameters });
	assert.equal(code, 201, JSON.stringify(body));
	const id = String(body["id"]);
	await until(
		`${action} is ${status}`,
		90,
		async () => ((await ask(token, "GET", `/v1/executions/${id}`)).body as Record_)["status"] === status || undefined,
	);
	return id;
}

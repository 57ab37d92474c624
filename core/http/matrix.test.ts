import * as assert from "node:assert/strict";
import { test } from "uvu";
import { routes } from "../features/routes.ts";
import { until } from "../testing/guarantees/until.test-support.ts";
import { type GuardedService, withGuardedService } from "../testing/http/guarded-service.test-support.ts";
import { policyBody, ruleBody, toTrigger } from "../testing/http/matrix-rows.test-support.ts";
import {
	type GuardedField,
	guardedFields,
	type MatrixRequest,
	type MatrixRow,
	type MatrixSubject,
} from "../testing/http/rights-row.test-support.ts";
import { type CallerKind, callerKinds, type RightsRow, toRightsRows } from "../testing/http/rights-table.test-support.ts";
import type { Route } from "./route.ts";

type Headers = Readonly<Record<string, string>>;

/** Somebody who asks: with which headers, as which user, and what can be expected of the answer. */
interface Caller {
	readonly name: string;
	readonly kind: CallerKind;
	readonly headers: Headers;
	readonly username: string;
}

interface Answer {
	readonly status: number;
	readonly text: string;
}

async function createCallers(service: GuardedService, root: string): Promise<readonly Caller[]> {
	const { ask, signIn, pass } = service;
	const createKey = async (input: object) => (await ask(root, "POST", "/v1/apikeys", input)).body;
	const expired = await signIn("root", { ttl: 1 });
	pass(2);
	const disabled = String((await createKey({ enabled: false }))["key"]);
	const enabled = String((await createKey({}))["key"]);
	const late = String((await createKey({ expires_at: "2020-01-01T00:00:00Z" }))["key"]);
	const { stranger, nobody, webhookKey, observer, owner, administrator } = callerKinds;
	const refused = (name: string, headers: Headers): Caller => ({ name, kind: stranger, username: "root", headers });
	const user = async (username: string, kind: CallerKind): Promise<Caller> => ({
		name: username,
		kind,
		username,
		headers: { "x-auth-token": await signIn(username) },
	});
	const key = async (name: string, scopes: readonly string[], kind: CallerKind): Promise<Caller> => ({
		name,
		kind,
		username: "root",
		headers: { "svc-api-key": String((await createKey({ scopes }))["key"]) },
	});
	return [
		refused("no credential", {}),
		refused("garbage token", { "x-auth-token": "garbage" }),
		refused("unknown token", { "x-auth-token": "0".repeat(32) }),
		refused("garbage key", { "svc-api-key": "garbage" }),
		refused("expired token", { "x-auth-token": expired }),
		refused("disabled key", { "svc-api-key": disabled }),
		refused("expired key", { "svc-api-key": late }),
		refused("token and key", { "x-auth-token": root, "svc-api-key": enabled }),
		await user("nobody", nobody),
		await key("key that may do nothing", [], nobody),
		await key("key for one webhook", ["webhook:disk/full"], webhookKey),
		await user("observer", observer),
		await user("owner", owner),
		await user("root", administrator),
		await user("captain", administrator),
		{ name: "administrator's key", kind: administrator, username: "root", headers: { "svc-api-key": enabled } },
	];
}

/** Everybody asks for secrets too: those who may not have them are answered without. */
async function askAs(service: GuardedService, route: Route, headers: Headers, request: MatrixRequest): Promise<Answer> {
	const controller = new AbortController();
	const path = `${request.path}${request.path.includes("?") ? "&" : "?"}show_secrets=true`;
	const response = await fetch(service.urls[route.component] + path, {
		method: route.method,
		headers: { ...headers, "content-type": "application/json" },
		signal: controller.signal,
		...(request.body !== undefined && { body: JSON.stringify(request.body) }),
	});
	const isEndless = route.path === "/stream" && response.status === 200;
	const text = isEndless ? "" : await response.text();
	if (response.status === 401) assert.match(String((JSON.parse(text) as { faultstring: unknown }).faultstring), /Unauthorized/);
	controller.abort();
	return { status: response.status, text };
}

/** What an answer should not be: the status, a field too many, a field too few. */
function findWrong({ status, text }: Answer, { route, row }: RightsRow, kind: CallerKind): readonly string[] {
	const expected = kind.expects(route, row);
	const isAnswered = expected < 400 && status < 400;
	const shows: MatrixRow["shows"] = (kind === callerKinds.owner ? (row.owner ?? row) : row).shows;
	const wrongFields = Object.entries(guardedFields).flatMap(([name, { pattern }]) => {
		const needs = shows?.[name as GuardedField];
		const isDue = isAnswered && needs !== undefined && kind.sees(needs);
		if (pattern.test(text) === isDue) return [];
		return [`${name} ${isDue ? "is not shown" : "is shown"}`];
	});
	return [...(status === expected ? [] : [`${status} instead of ${expected}`]), ...wrongFields];
}

/** A webhook that keeps what comes in, something that did, and what came of it. */
async function createDelivery({ ask }: GuardedService, root: string) {
	const trigger = { type: "core.svc.webhook", parameters: { url: "disk/full", ledger: true } };
	await ask(root, "POST", "/v1/rules", { ...ruleBody("answer"), enabled: true, trigger });
	await ask(root, "POST", "/v1/webhooks/disk/full", { said: "a payload" });
	const newest = async (path: string) => String(((await ask(root, "GET", path)).body as unknown as { id: string }[])[0]?.id);
	const hasEnded = async () => /a result kept/.test(JSON.stringify((await ask(root, "GET", "/v1/ruleenforcements/views")).body));
	await until("the rule's execution to end", 30, async () => (await hasEnded()) || undefined);
	return {
		delivery: await newest("/v1/webhook_deliveries"),
		instance: await newest("/v1/triggerinstances?trigger_type=core.svc.webhook"),
		enforcement: await newest("/v1/ruleenforcements"),
	};
}

/** An execution with a child, both ended. */
async function createFamily({ ask, run }: GuardedService, root: string): Promise<string> {
	const execution = await run(root);
	const body = { action: "default.speak", context: { parent: { execution_id: execution } } };
	const child = String((await ask(root, "POST", "/v1/executions", body)).body["id"]);
	const read = async () => (await ask(root, "GET", `/v1/executions/${child}`)).body["result"];
	await until("the child to end", 30, read);
	return execution;
}

/** What is kept of each kind that takes care to be shown. */
async function keepValues({ ask, signIn }: GuardedService, root: string): Promise<void> {
	await ask(root, "PUT", "/v1/keys/kept", { value: "a kept value", secret: true });
	await ask(await signIn("owner"), "PUT", "/v1/keys/note", { value: "a private value", scope: "user" });
	await ask(root, "PUT", "/v1/configs/vault", { pin: "a configured secret" });
}

async function createSubject(service: GuardedService, root: string) {
	const { ask, signIn } = service;
	const received = await createDelivery(service, root);
	const execution = await createFamily(service, root);
	await keepValues(service, root);
	const assignmentOf = async (user: string) =>
		String(((await ask(root, "GET", `/v1/rbac/role_assignments?user=${user}`)).body as unknown as { id: string }[])[0]?.id);
	const [assignment, ownAssignment] = [await assignmentOf("root"), await assignmentOf("owner")];
	await ask(root, "POST", "/v1/rules", ruleBody("watch"));
	await ask(root, "POST", "/v1/policies", policyBody("one"));
	const counted = { pack: "default", name: "counted", parameters_schema: { type: "object", properties: { number: { type: "integer" } } } };
	await ask(root, "POST", "/v1/triggertypes", counted);
	let count = 0;
	const freshName = () => `fresh${(count += 1)}`;
	return (username: string): MatrixSubject => ({
		execution,
		assignment,
		ownAssignment,
		...received,
		freshName,
		ownToken: () => signIn(username),
		newExecution: async () => {
			const body = { action: "default.speak", parameters: { pin: "a secret pin" }, delay: 3_600_000 };
			return String((await ask(root, "POST", "/v1/executions", body)).body["id"]);
		},
		newKey: async () => String((await ask(root, "POST", "/v1/apikeys", {})).body["id"]),
		newRule: async () => {
			const name = freshName();
			await ask(root, "POST", "/v1/rules", ruleBody(name));
			return `default.${name}`;
		},
		newPolicy: async () => {
			const name = freshName();
			await ask(root, "POST", "/v1/policies", policyBody(name));
			return `default.${name}`;
		},
		newTriggerType: async () => {
			const name = freshName();
			await ask(root, "POST", "/v1/triggertypes", { pack: "default", name });
			return `default.${name}`;
		},
		newTrigger: async () => {
			return String((await ask(root, "POST", "/v1/triggers", toTrigger(freshName()))).body["ref"]);
		},
		newAction: async () => {
			const name = freshName();
			await ask(root, "POST", "/v1/actions", { name, runner_type: "speak" });
			return `default.${name}`;
		},
	});
}

const packs = {
	"vault/pack.yaml": "ref: vault\nname: vault\ndescription: Secrets.\nversion: 1.0.0\nauthor: somebody\n",
	"vault/config.schema.yaml": "pin: {type: string, secret: true}\n",
};

test("every route answers every kind of caller with exactly the status, and what is guarded in it, that it should", () => {
	const rows = toRightsRows(routes).map((row, index) => ({ ...row, user: `granted${index}` }));
	const roles = [
		{ name: "bare", permission_grants: [] },
		...rows.map(({ row, user }) => ({ name: user, permission_grants: row.grants ?? [] })),
	];
	const assignments = [
		{ username: "observer", roles: ["observer"] },
		{ username: "captain", roles: ["system_admin"] },
		{ username: "owner", roles: ["bare"] },
		...rows.map(({ user }) => ({ username: user, roles: [user] })),
	];
	return withGuardedService(
		async (service) => {
			const root = await service.signIn("root");
			const subjectOf = await createSubject(service, root);
			const callers = await createCallers(service, root);
			const wrong: string[] = [];
			for (const { user, ...entry } of rows) {
				const { key, route, row } = entry;
				const scopes = row.scopes ?? (row.grants === undefined ? [] : [route.permission]);
				const { body } = await service.ask(root, "POST", "/v1/apikeys", { scopes });
				const { granted, scopedKey, owner } = callerKinds;
				const own: readonly Caller[] = [
					{ name: "granted", kind: granted, username: user, headers: { "x-auth-token": await service.signIn(user) } },
					{ name: "scoped key", kind: scopedKey, username: "root", headers: { "svc-api-key": String(body["key"]) } },
				];
				for (const { name, kind, username, headers } of [...callers, ...own]) {
					const { request } = kind === owner ? (row.owner ?? row) : row;
					const answer = await askAs(service, route, headers, await request(subjectOf(username)));
					for (const what of findWrong(answer, entry, kind)) wrong.push(`${key} as ${name}: ${what}`);
				}
			}
			assert.deepEqual(wrong, []);
		},
		{ rbac: { roles, assignments }, packs },
	);
});

test("a route without a row fails the matrix", () => {
	assert.throws(() => toRightsRows([...routes, { ...(routes[0] as Route), path: "/new" }]), /no row for api GET \/new/);
});

test.run();

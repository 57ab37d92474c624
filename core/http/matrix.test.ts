import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type GuardedService, withGuardedService } from "./guarded-service.test-support.ts";
import {
	type MatrixRequest,
	type MatrixRow,
	type MatrixSubject,
	matrixRows,
	policyBody,
	ruleBody,
	toTrigger,
} from "./matrix-rows.test-support.ts";
import type { Route } from "./route.ts";
import { routes } from "./routes/index.ts";

type Headers = Readonly<Record<string, string>>;

/** Somebody who asks: with which headers, as which user, and who gets through. */
interface Caller {
	readonly name: string;
	readonly headers: Headers;
	readonly username: string;
	expects(route: Route, row: MatrixRow): number;
}

const keyOf = ({ component, method, path }: Route) => `${component} ${method} ${path}`;

/** The row of every route. Throws for a route without one, and for a row without a route. */
function toRows(list: readonly Route[]): readonly { readonly route: Route; readonly row: MatrixRow; readonly user: string }[] {
	const keys = new Set(list.map(keyOf));
	const superfluous = Object.keys(matrixRows).filter((key) => !keys.has(key));
	const forgotten = [...keys].filter((key) => !Object.hasOwn(matrixRows, key));
	if (superfluous.length + forgotten.length > 0)
		throw new Error(`no row for ${forgotten.join(", ")}; no route for ${superfluous.join(", ")}`);
	return list.map((route, index) => ({ route, row: matrixRows[keyOf(route)] as MatrixRow, user: `granted${index}` }));
}

/** Whoever has none that is any good. */
function expectsRefused({ permission }: Route, row: MatrixRow): number {
	return permission === "public" ? row.ok : 401;
}

/** Whoever has nothing but a credential. */
function expectsAuthenticated({ permission }: Route, row: MatrixRow): number {
	const isOpen = permission === "authenticated" || permission === "public";
	return isOpen && row.others === undefined ? row.ok : (row.others ?? 403);
}

/** A role, or a scoped key, that was given exactly what the route asks for. */
function expectsGranted(route: Route, row: MatrixRow): number {
	return row.grants === undefined ? expectsAuthenticated(route, row) : row.ok;
}

async function createCallers(service: GuardedService, root: string): Promise<readonly Caller[]> {
	const { ask, signIn, pass } = service;
	const createKey = async (input: object) => (await ask(root, "POST", "/v1/apikeys", input)).body;
	const expired = await signIn("root", { ttl: 1 });
	pass(2);
	const disabled = String((await createKey({ enabled: false }))["key"]);
	const enabled = String((await createKey({}))["key"]);
	const late = String((await createKey({ expires_at: "2020-01-01T00:00:00Z" }))["key"]);
	const refused = (name: string, headers: Headers): Caller => ({ name, headers, username: "root", expects: expectsRefused });
	const user = async (username: string, expects: Caller["expects"]): Promise<Caller> => ({
		name: username,
		username,
		headers: { "x-auth-token": await signIn(username) },
		expects,
	});
	const empty = String((await createKey({ scopes: [] }))["key"]);
	return [
		refused("no credential", {}),
		refused("garbage token", { "x-auth-token": "garbage" }),
		refused("unknown token", { "x-auth-token": "0".repeat(32) }),
		refused("garbage key", { "svc-api-key": "garbage" }),
		refused("expired token", { "x-auth-token": expired }),
		refused("disabled key", { "svc-api-key": disabled }),
		refused("expired key", { "svc-api-key": late }),
		refused("token and key", { "x-auth-token": root, "svc-api-key": enabled }),
		await user("nobody", expectsAuthenticated),
		{ name: "key that may do nothing", username: "root", headers: { "svc-api-key": empty }, expects: expectsAuthenticated },
		await user("observer", (route, row) =>
			/_(view|list|search)$/.test(route.permission) && !row.onlyOwner ? row.ok : expectsAuthenticated(route, row),
		),
		await user("root", (_route, row) => row.ok),
		{ name: "administrator's key", username: "root", headers: { "svc-api-key": enabled }, expects: (_route, row) => row.ok },
	];
}

async function askAs(
	service: GuardedService,
	{ route, caller }: { route: Route; caller: Caller },
	request: MatrixRequest,
): Promise<number> {
	const controller = new AbortController();
	const response = await fetch(service.urls[route.component] + request.path, {
		method: route.method,
		headers: { ...caller.headers, "content-type": "application/json" },
		signal: controller.signal,
		...(request.body !== undefined && { body: JSON.stringify(request.body) }),
	});
	if (response.status >= 400) {
		const { faultstring } = (await response.json()) as { faultstring: string };
		if (response.status === 401) assert.match(faultstring, /Unauthorized/);
	}
	controller.abort();
	return response.status;
}

/** A webhook that keeps what comes in, something that did, and what came of it. */
async function createDelivery({ ask }: GuardedService, root: string): Promise<{ readonly delivery: string; readonly instance: string }> {
	await ask(root, "POST", "/v1/triggers", { type: "core.svc.webhook", parameters: { url: "disk/full", ledger: true } });
	await ask(root, "POST", "/v1/webhooks/disk/full", {});
	const newest = async (path: string) => String(((await ask(root, "GET", path)).body as unknown as { id: string }[])[0]?.id);
	return {
		delivery: await newest("/v1/webhook_deliveries"),
		instance: await newest("/v1/triggerinstances?trigger_type=core.svc.webhook"),
	};
}

async function createSubject(service: GuardedService, root: string) {
	const { ask, signIn, run } = service;
	const received = await createDelivery(service, root);
	const execution = await run(root);
	const { body } = await ask(root, "GET", "/v1/rbac/role_assignments?user=root");
	const assignment = String((body as unknown as { id: string }[])[0]?.id);
	await ask(root, "POST", "/v1/rules", ruleBody("watch"));
	await ask(root, "POST", "/v1/policies", policyBody("one"));
	const counted = { pack: "default", name: "counted", parameters_schema: { type: "object", properties: { number: { type: "integer" } } } };
	await ask(root, "POST", "/v1/triggertypes", counted);
	let count = 0;
	const freshName = () => `fresh${(count += 1)}`;
	return (username: string): MatrixSubject => ({
		execution,
		assignment,
		...received,
		freshName,
		ownToken: () => signIn(username),
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

test("every route answers every kind of caller with exactly the status it should", () => {
	const rows = toRows(routes);
	const granted = rows.map(({ row, user }) => ({ name: user, permission_grants: row.grants ?? [] }));
	const assignments = [{ username: "observer", roles: ["observer"] }, ...rows.map(({ user }) => ({ username: user, roles: [user] }))];
	return withGuardedService(
		async (service) => {
			const root = await service.signIn("root");
			const subjectOf = await createSubject(service, root);
			const callers = await createCallers(service, root);
			const wrong: string[] = [];
			for (const { route, row, user } of rows) {
				const scopes = row.scopes ?? (row.grants === undefined ? [] : [route.permission]);
				const { body } = await service.ask(root, "POST", "/v1/apikeys", { scopes });
				const own: readonly Caller[] = [
					// Grants on keys name their hash: a role for a single one has a test of its own.
					{ name: "granted", username: user, headers: { "x-auth-token": await service.signIn(user) }, expects: toGranted },
					{ name: "scoped key", username: "root", headers: { "svc-api-key": String(body["key"]) }, expects: expectsGranted },
				];
				for (const caller of [...callers, ...own]) {
					const status = await askAs(service, { route, caller }, await row.request(subjectOf(caller.username)));
					const expected = caller.expects(route, row);
					if (status !== expected) wrong.push(`${keyOf(route)} as ${caller.name}: ${status} instead of ${expected}`);
				}
			}
			assert.deepEqual(wrong, []);
		},
		{ rbac: { roles: granted, assignments } },
	);
});

function toGranted(route: Route, row: MatrixRow): number {
	return row.grants?.length === 0 ? 403 : expectsGranted(route, row);
}

test("a route without a row fails the matrix", () => {
	assert.throws(() => toRows([...routes, { ...(routes[0] as Route), path: "/new" }]), /no row for api GET \/new/);
});

test.run();

// test-timeout: 300
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { routes } from "../../plugins/_shipped/routes.ts";
import { sample } from "../testing/extent.test-support.ts";
import { type GuardedService, withGuardedService } from "../testing/http/guarded-service.test-support.ts";
import { createSubject, matrixPacks, matrixRunners } from "../testing/http/matrix-subject.test-support.ts";
import { type GuardedField, guardedFields, type MatrixRequest, type MatrixRow } from "../testing/http/rights-row.test-support.ts";
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

/**
 * Who asks one route: the caller without a credential, and one of each kind. The callers of a kind take turns from route to route: which
 * credential it is is decided before any route.
 */
function takeTurns(callers: readonly Caller[], turn: number): readonly Caller[] {
	const [withoutCredential, ...others] = callers;
	const kinds = Object.values(callerKinds).map((kind) => others.filter((caller) => caller.kind === kind));
	return [withoutCredential, ...kinds.map((ofKind) => ofKind[turn % ofKind.length])].filter((caller) => caller !== undefined);
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
	const hasBody = route.method !== "HEAD";
	if (response.status === 401 && hasBody) assert.match(String((JSON.parse(text) as { faultstring: unknown }).faultstring), /Unauthorized/);
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
			for (const [index, { user, ...entry }] of sample(rows, 5).entries()) {
				const { key, route, row } = entry;
				const scopes = row.scopes ?? (row.grants === undefined ? [] : [route.permission]);
				const { body } = await service.ask(root, "POST", "/v1/apikeys", { scopes });
				const { granted, scopedKey, owner } = callerKinds;
				const own: readonly Caller[] = [
					{ name: "granted", kind: granted, username: user, headers: { "x-auth-token": await service.signIn(user) } },
					{ name: "scoped key", kind: scopedKey, username: "root", headers: { "svc-api-key": String(body["key"]) } },
				];
				for (const { name, kind, username, headers } of [...takeTurns(callers, index), ...own]) {
					const { request } = kind === owner ? (row.owner ?? row) : row;
					const answer = await askAs(service, route, headers, await request(subjectOf(username)));
					for (const what of findWrong(answer, entry, kind)) wrong.push(`${key} as ${name}: ${what}`);
				}
			}
			assert.deepEqual(wrong, []);
		},
		{ rbac: { roles, assignments }, packs: matrixPacks, runners: matrixRunners },
	);
});

test("a route without a row fails the matrix", () => {
	assert.throws(() => toRightsRows([...routes, { ...(routes[0] as Route), path: "/new" }]), /no row for api GET \/new/);
});

test.run();

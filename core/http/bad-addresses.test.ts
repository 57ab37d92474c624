// test-timeout: 300
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { routes } from "../../plugins/_shipped/routes.ts";
import { sample } from "../testing/extent.test-support.ts";
import { hostileIds, hostilePaths, hostileTexts } from "../testing/http/hostile-values.test-support.ts";
import { createProbeTest, nameOf, valuesForRoute } from "../testing/http/probe.test-support.ts";

const probeTest = createProbeTest();

probeTest(
	"names in addresses that are none, and addresses that lead nowhere, are refused by every route",
	async ({ ask, check, url, urls }) => {
		for (const [turn, route] of sample(routes, 6).entries()) {
			// An answer to HEAD has no body that could be looked at; it is that of GET.
			if (!route.path.includes(":") || route.method === "HEAD") continue;
			for (const id of valuesForRoute(hostileIds, turn, 5)) {
				await check(ask(url(route, id), { method: route.method }), { label: `${nameOf(route)} ${id.slice(0, 40)}`, refused: true });
			}
		}
		for (const path of hostilePaths) {
			for (const base of Object.values(urls))
				await check(ask(new URL(base).href.startsWith(urls.api) ? `/v1${path}` : path), { label: path });
		}
	},
);

probeTest("query parameters of a wrong type are refused and named by every route, others do no harm", async ({ ask, check, url }) => {
	for (const [turn, route] of sample(routes, 6).entries()) {
		if (route.component === "stream" && route.path === "/stream") continue;
		for (const [parameter, type] of Object.entries(route.query ?? {})) {
			for (const text of valuesForRoute(hostileTexts[type] ?? [], turn, 5)) {
				const label = `${nameOf(route)}?${parameter}=${text.slice(0, 40)}`;
				const isWrong = (type === "integer" || type === "boolean") && text !== "null" && !(parameter === "depth" && text === "-5");
				const sent = ask(`${url(route)}?${parameter}=${text}`, { method: route.method });
				await check(sent, {
					label,
					...(isWrong && route.body === undefined && route.method === "GET" && { names: new RegExp(parameter) }),
				});
			}
			await check(ask(`${url(route)}?${parameter}=a&${parameter}=b&${parameter}[]=c`, { method: route.method }), {
				label: `${nameOf(route)} repeated`,
			});
		}
	}
	for (const query of [
		"limit=0",
		"limit=-2",
		"limit=-1.0",
		"limit=1e9999",
		"offset=-1",
		"offset=4294967296",
		"timestamp=lately",
		"timestamp=a..b",
		"timestamp_gt=2031-02-30T00:00:00Z",
		"timestamp_lt='",
		"id='",
		`id=${"0".repeat(24)},x`,
		"filter=a",
		"filter=__proto__:x",
		"include_attributes=__proto__",
		"exclude_attributes=id",
	]) {
		await check(ask(`/v1/executions?${query}`), { label: query, names: new RegExp(query.split("=")[0] ?? "") });
	}
	const { headers } = await ask("/v1/executions?user=%27%20OR%20%271%27=%271");
	assert.equal(headers.get("x-total-count"), "0");
});

probeTest("headers that are too long or make no sense do no harm", async ({ ask, check }) => {
	const headers = [
		"x-request-id",
		"svc-context",
		"last-event-id",
		"authorization",
		"cookie",
		"origin",
		"x-forwarded-for",
		"content-type",
		"x-auth-token",
		"svc-api-key",
	];
	const paths = ["/v1/executions/last/output", "/stream/v1/executions/last/output", "/v1/user"];
	// Nothing has to run: what is delayed is only stored.
	const body = JSON.stringify({ action: "probes.probe", delay: 3_600_000 });
	for (const header of headers) {
		for (const [turn, value] of [
			"'",
			"{",
			"[]",
			"\u00ff\u00fe",
			"a".repeat(8_000),
			"__proto__",
			'{"__proto__":{"polluted":1}}',
		].entries()) {
			const path = paths[turn % paths.length] ?? "";
			await check(ask(path, { headers: { [header]: value } }), { label: `${path} ${header}` });
			await check(ask("/v1/executions", { method: "POST", body, headers: { [header]: value } }), { label: `create ${header}` });
		}
	}
});

test.run();

import { webhookDeliveryKind } from "../../contract/entities/webhook-delivery.ts";
import { type JsonObject, SvcError, type WebhookDeliveryEntity } from "../../contract/index.ts";
import { decodeHeader } from "../../http/decode-header.ts";
import { parseFilterValues } from "../../http/filter-values.ts";
import { answerJson, answerNothing, answerPage, answerTooMany, type ResponseDeclaration } from "../../http/openapi/responses.ts";
import { defineSchema, fieldsOf, jsonValue, objectSchema, stringSchema } from "../../http/openapi/schema-builders.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { replyJson } from "../../http/replies.ts";
import { replyRecords } from "../../http/reply-records.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import type { GuardedResource } from "../../http/route-permission.ts";
import { replyPageOrAll } from "../../http/streamed-list.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import { assertVisibleName } from "../../kernel/basics/names.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { TriggersFeatureApi } from "../triggers/api.ts";
import { rulesMember, triggerExample, triggerMembers } from "../triggers/schemas-exports.ts";
import { toTrigger } from "../triggers/trigger-records-exports.ts";
import { toHookUrl } from "../triggers/trigger-type-refs-exports.ts";
import { readVisibleRules } from "../triggers/visible-triggers-exports.ts";
import type { WebhooksApi } from "./api.ts";
import { type Challenge, replyChallenge } from "./challenge.ts";
import { verdicts } from "./delivery-log.ts";
import { genericHookUrl } from "./hook-parameters-exports.ts";
import type { Hook } from "./webhooks-exports.ts";

type RouteServices = WebhooksApi & TriggersFeatureApi;

/** A webhook in a response. */
const webhookSchema = defineSchema("Webhook", objectSchema({ ...triggerMembers, ...rulesMember }), {
	...triggerExample,
	uid: "webhook:disk/alerts",
	rules: ["disk.sweep"],
});

const optional = ["delivery_id", "trigger_instance_id", "reason", "trace_tag", "headers", "query", "body"] as const;

/**
 * A stored delivery in a response. Members that are null are left out. Headers, query and body are returned only for a single delivery, to
 * callers who may view the webhook.
 */
const deliverySchema = defineSchema(
	"WebhookDelivery",
	objectSchema(
		{ ...fieldsOf(webhookDeliveryKind, ["id", "url", "trigger", "received_at", "verdict", "user", ...optional]), body: jsonValue },
		optional,
	),
	{
		id: "66a1e0019d3e4b7a51c00080",
		url: "disk/alerts",
		trigger: "core.hook",
		received_at: "2031-03-04T09:15:02.418273Z",
		verdict: "accepted",
		user: "maria",
		trigger_instance_id: "66a1e0019d3e4b7a51c00032",
	},
);

const { defineRawRoute, defineRoute } = createRouteDeclarations<RouteServices>();

const defaultLimit = 50;

function hookOf({ path }: Pick<RouteContext, "path">): GuardedResource {
	return { uid: `webhook:${toHookUrl(path["url"] ?? "")}` };
}

async function challengeOf({ engine, path, request }: RouteContext<WebhooksApi>): Promise<Challenge | undefined> {
	const url = path["url"] ?? "";
	if (toHookUrl(url) === genericHookUrl) return undefined;
	return engine.webhooks.challenge(url, { query: toPayloadQuery(request.url), headers: toTexts(request.headers) });
}

async function deliveryResource({ engine, path }: Pick<RouteContext<WebhooksApi>, "engine" | "path">): Promise<GuardedResource> {
	return { uid: `webhook:${(await engine.webhooks.delivery(path["id"] ?? "")).url}` };
}

const receiptHeaders = {
	"Svc-Trace-Id": { description: "Id of the trace of the event.", schema: stringSchema },
	"Svc-Trigger-Instance-Id": { description: "Ids of the trigger instances, separated by commas.", schema: stringSchema },
};

const challengeContent = { "text/plain": { schema: stringSchema, example: "1158201444" } };
const challengeObject = { type: "object", additionalProperties: stringSchema };
const answerChallenge: ResponseDeclaration = {
	description: "The response to the challenge of a sender.",
	content: { ...challengeContent, "application/json": { schema: challengeObject } },
};
const answerHookOrChallenge: ResponseDeclaration = {
	description: "The webhook, or the response to the challenge of a sender.",
	content: { ...challengeContent, "application/json": { schema: { anyOf: [webhookSchema, challengeObject] } } },
};

export const webhookRoutes = [
	defineRoute({
		method: "GET",
		path: "/webhooks",
		summary: "List webhooks",
		description: "The webhooks that rules have registered.",
		answers: { 200: answerPage(webhookSchema), 429: answerTooMany },
		permission: "webhook_list",
		query: pagingQuery,
		async handler(context) {
			const hooks = await context.engine.webhooks.list();
			return replyRecords(context, parsePaging(context), hooks, (part) => toHooks(context, part));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/webhooks/**:url",
		summary: "Get a webhook, or answer the challenge of a sender",
		description:
			"If the webhook has the parameter `challenge`, a request with this challenge gets it back as text or JSON. This requires `webhook_send`.",
		answers: { 200: answerHookOrChallenge },
		permission: "webhook_view",
		readsAnyQuery: true,
		async resource(context) {
			return { ...hookOf(context), ...((await challengeOf(context)) !== undefined && { permission: "webhook_send" as const }) };
		},
		async handler(context) {
			const { engine, path } = context;
			const challenge = await challengeOf(context);
			if (challenge !== undefined) return replyChallenge(challenge);
			const [hook] = await engine.webhooks.find(path["url"] ?? "");
			if (hook === undefined) throw new SvcError("SVC_NOT_FOUND", `webhook "${path["url"]}" is not registered`);
			const [record] = await toHooks(context, [hook]);
			return replyJson(record);
		},
	}),
	defineRoute({
		method: "HEAD",
		path: "/webhooks/**:url",
		summary: "Check whether a webhook exists",
		description: "For senders that check before their first delivery. Dispatches nothing.",
		answers: { 200: answerNothing("It exists.") },
		permission: "webhook_send",
		resource: hookOf,
		readsAnyQuery: true,
		async handler({ engine, path }) {
			await engine.webhooks.find(path["url"] ?? "");
			return { status: 200, headers: {}, body: null };
		},
	}),
	defineRawRoute({
		method: "POST",
		path: "/webhooks/**:url",
		summary: "Send a delivery to a webhook",
		description: "Responds when the events are stored. The header `Svc-Trace-Tag` sets the trace tag.",
		answers: {
			200: answerChallenge,
			202: answerJson(jsonValue, { description: "The body of the request. The events are stored.", headers: receiptHeaders }),
		},
		permission: "webhook_send",
		resource: hookOf,
		async handler({ engine, path, request, body, principal }) {
			const headers = toTexts(request.headers);
			const { instances, challenge } = await engine.webhooks.receive(path["url"] ?? "", {
				headers,
				query: toPayloadQuery(request.url),
				bytes: body.bytes,
				body: body.value,
				traceTag: toTraceTag(headers["svc-trace-tag"]),
				principal,
			});
			if (challenge !== undefined) return replyChallenge(challenge);
			return replyJson(body.value, 202, {
				"svc-trace-id": instances[0]?.trace_id ?? "",
				"svc-trigger-instance-id": instances.map(({ id }) => id).join(","),
			});
		},
	}),
	defineRoute({
		method: "GET",
		path: "/webhook_deliveries",
		summary: "List logged deliveries of webhooks, newest first",
		description: "Pages of 50 by default, without `headers`, `query` and `body`.",
		answers: { 200: answerPage(deliverySchema), 429: answerTooMany },
		permission: "webhook_list",
		query: { ...pagingQuery, url: "string", verdict: "list", trigger_instance: "string" },
		async handler(context) {
			const { url, trigger_instance: triggerInstance } = context.query;
			const verdict = parseFilterValues("verdict", context.query.verdict, verdicts);
			const paging = parsePaging(context, defaultLimit);
			const query = withoutUndefined({ url, verdict, triggerInstance });
			return replyPageOrAll(context, paging, async (part) => {
				const page = await context.engine.webhooks.deliveries({ ...query, ...part });
				// Headers, query and body are left out: they need the permission to view the hook.
				return { ...page, items: page.items.map((entity) => toDelivery(entity, { whole: false })) };
			});
		},
	}),
	defineRoute({
		method: "GET",
		path: "/webhook_deliveries/:id",
		summary: "Get a delivery",
		description: "With `headers`, `query` and `body`.",
		answers: { 200: answerJson(deliverySchema) },
		permission: "webhook_view",
		resource: deliveryResource,
		async handler({ engine, path }) {
			return replyJson(toDelivery(await engine.webhooks.delivery(path["id"] ?? ""), { whole: true }));
		},
	}),
	defineRoute({
		method: "POST",
		path: "/webhook_deliveries/:id/replay",
		summary: "Replay a delivery",
		description: "A refused delivery can be replayed only by an administrator with `overrule`.",
		answers: { 202: answerJson(deliverySchema) },
		permission: "webhook_send",
		resource: deliveryResource,
		query: { overrule: "boolean" },
		async handler({ engine, guard, path, principal, query: { overrule = false } }) {
			const delivery = await engine.webhooks.replay(path["id"] ?? "", principal, { overrule });
			// The permission to send to a hook does not include the permission to read the deliveries of other senders.
			const whole = guard.allows(principal, "webhook_view", { uid: `webhook:${delivery.url}` });
			return replyJson(toDelivery(delivery, { whole }), 202);
		},
	}),
];

/** Returns the records of webhooks, each with the rules that use it and that the caller may view. */
async function toHooks(context: RouteContext<RouteServices>, hooks: readonly Hook[]): Promise<readonly WireRecord[]> {
	const rules = await readVisibleRules(
		context,
		hooks.map(({ trigger }) => trigger),
	);
	return hooks.map(({ trigger, url }) => ({ ...toTrigger(trigger), uid: `webhook:${url}`, rules: rules.get(trigger.ref) ?? [] }));
}

function toDelivery(
	{ delivery_key: _key, headers, query, body, ...entity }: WebhookDeliveryEntity,
	{ whole }: { readonly whole: boolean },
) {
	const members = Object.entries(entity).filter(([, value]) => value !== null);
	return { ...Object.fromEntries(members), ...(whole && { headers, ...(query !== null && { query }), body }) };
}

function toTexts(headers: Headers): Record<string, string> {
	return Object.fromEntries([...headers].map(([name, value]) => [name, decodeHeader(value)]));
}

function toTraceTag(given: string | undefined): string | undefined {
	if (!given) return undefined;
	assertVisibleName("header Svc-Trace-Tag", given);
	return given;
}

/** Query parameters with which a caller authenticates to this service. Payloads leave them out. */
const dropped: ReadonlySet<string> = new Set(["x-auth-token", "svc-api-key"]);
const noQuery: JsonObject = Object.freeze({});

/**
 * Returns the query of a URL for the payload of a trigger, without credentials.
 * The value of a parameter is a string, or a list if the parameter was given more than once.
 */
function toPayloadQuery(url: string): JsonObject {
	const start = url.indexOf("?");
	if (start === -1) return noQuery;
	const values = new Map<string, string[]>();
	for (const [name, value] of new URLSearchParams(url.slice(start).replace(/#.*$/, ""))) {
		if (dropped.has(name.toLowerCase())) continue;
		const known = values.get(name);
		if (known === undefined) values.set(name, [value]);
		else known.push(value);
	}
	return Object.fromEntries([...values].map(([name, given]) => [name, given.length === 1 ? (given[0] ?? "") : given]));
}

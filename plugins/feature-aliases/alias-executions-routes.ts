import type { JsonObject } from "../../core/contract/index.ts";
import {
	answerFault,
	answerJson,
	createRouteDeclarations,
	defineBody,
	type ExecutionView,
	presentRecord,
	type RecordVisibility,
	type RouteContext,
	replyJson,
	secretsQuery,
	toActionResource,
	toExecution,
	toRecordVisibility,
	type WireRecord,
} from "../../core/feature.ts";
import type { AliasAck, AliasMatch, AliasOrigin } from "./aliases-exports.ts";
import { toAlias, toAliasResource } from "./records.ts";
import { renderMessage } from "./render-message.ts";
import type { AliasRouteServices } from "./route-services.ts";
import { aliasExecutionsSchema, firstAliasExecutionSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<AliasRouteServices>();

interface MatchBody extends AliasOrigin {
	readonly command: string;
}
interface ExecutionBody extends MatchBody {
	readonly name: string;
	readonly format: string;
}

const text = { type: "string" };
const optionalText = { type: ["string", "null"], maxLength: 1024 };
const matchProperties = {
	command: text,
	user: optionalText,
	source_channel: { ...text, maxLength: 1024 },
	notification_channel: optionalText,
	notification_route: optionalText,
};
const executionBody = defineBody<ExecutionBody>({
	properties: { name: text, format: text, ...matchProperties, source_context: { type: "object" } },
	required: ["name", "format", "command", "source_channel"],
	closed: true,
});
const matchBody = defineBody<MatchBody>({ properties: matchProperties, required: ["command", "source_channel"], closed: true });

const noAction = answerFault("The action alias or its action does not exist.");

type Context = RouteContext<AliasRouteServices, typeof secretsQuery>;

/** Matched alias of each request body. Matched only once, so that the permission is checked for the same action that is started. */
const matches = new WeakMap<object, Promise<AliasMatch>>();

/** Routes that start executions for commands from a chat. */
export const aliasExecutionRoutes = [
	defineRoute({
		method: "POST",
		path: "/aliasexecution",
		summary: "Run a command with a given action alias and format",
		description: "Includes `results` if the command starts several executions.",
		answers: { 201: answerJson(firstAliasExecutionSchema), 404: noAction },
		permission: "action_execute",
		resource: async (context) => toActionResource((await toNamedMatch(context)).alias.action_ref),
		query: secretsQuery,
		body: executionBody,
		async handler(context) {
			const [first, ...others] = await start(context, await toNamedMatch(context), context.body);
			return replyJson(others.length === 0 ? first : { ...first, results: [first, ...others] }, 201);
		},
	}),
	defineRoute({
		method: "POST",
		path: "/aliasexecution/match_and_execute",
		summary: "Run a command with the action alias that matches it",
		description: "400 if no action alias matches, or several match.",
		answers: { 201: answerJson(aliasExecutionsSchema), 404: noAction },
		permission: "action_execute",
		resource: async (context) => toActionResource((await toMatch(context)).alias.action_ref),
		query: secretsQuery,
		body: matchBody,
		async handler(context) {
			return replyJson({ results: await start(context, await toMatch(context), context.body) }, 201);
		},
	}),
];

function toNamedMatch({ engine, body }: Pick<RouteContext<AliasRouteServices, typeof secretsQuery, ExecutionBody>, "engine" | "body">) {
	return once(body, () => engine.aliases.read(body));
}

function toMatch({
	engine,
	body,
	guard,
	principal,
}: RouteContext<AliasRouteServices, typeof secretsQuery, MatchBody>): Promise<AliasMatch> {
	return once(body, () =>
		engine.aliases.match(
			body.command,
			(alias) =>
				principal.isAdmin ||
				guard.allows(principal, "action_execute", toActionResource(alias.action_ref)) ||
				guard.allows(principal, "action_alias_view", toAliasResource(alias)),
		),
	);
}

function once(body: object, find: () => Promise<AliasMatch>): Promise<AliasMatch> {
	const known = matches.get(body) ?? find();
	matches.set(body, known);
	return known;
}

async function start(context: Context, match: AliasMatch, origin: AliasOrigin): Promise<readonly WireRecord[]> {
	const { engine, principal } = context;
	const presentation = { ...toRecordVisibility(context), showsGiven: true };
	const views = await engine.aliases.execute(match, origin, principal);
	const [alias = match.alias] = presentation.masked ? await engine.aliases.mask([match.alias]) : [match.alias];
	return Promise.all(views.map((view) => toAliasExecution(view, toAlias(alias), presentation)));
}

async function toAliasExecution(view: ExecutionView, actionalias: WireRecord, presentation: RecordVisibility): Promise<WireRecord> {
	const execution = await presentRecord(() => toExecution(view, presentation));
	const ack = actionalias["ack"] as AliasAck;
	const said = ack.enabled === false ? {} : await renderMessage(ack, { execution, actionalias } as JsonObject);
	return { execution, actionalias, ...said };
}

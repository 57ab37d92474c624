import { randomUUID } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { STATUS_CODES } from "node:http";
import { type H3Event, HTTPResponse } from "h3";
import { isSvcError, SvcError } from "../contract/index.ts";
import type { AllowedMethods } from "./allowed-methods.ts";
import type { RecordedRequest, Recorder } from "./audit-hook.ts";
import { type Authenticated, authenticate, nobody } from "./authenticate.ts";
import { assertGlobally, assertOnRecord } from "./authorize.ts";
import { readBody, readRawBody, readTextBody } from "./body.ts";
import type { HeldBody } from "./body-memory.ts";
import type { BodyBounds } from "./body-reader.ts";
import type { Cors } from "./cors.ts";
import { castQuery, parseQuery } from "./query.ts";
import { toLoggedPath } from "./redacted-path.ts";
import { noStore, type Reply, replyFault, sniffHeaders, toErrorReply } from "./replies.ts";
import type { HttpContext, Route, RouteContext } from "./route.ts";
import { mayHoldSecrets } from "./secret-presentation.ts";
import type { ServerRequest } from "./server-request.ts";
import { findIgnored, toWarningHeaders, warningHeader } from "./warnings.ts";

const noPath: Readonly<Record<string, string>> = {};
const noQuerySchema = {};
/** Largest body of a public route. It holds names and a token of the identity provider; anyone may send it. */
const maxAnonymousBytes = 16_384;
/** Milliseconds in which the body of a public route must arrive. */
const anonymousTimeout = 10_000;
const goneReply: Reply = { status: 499, headers: {}, body: null };

/** A reply, and the cookie it sets. */
interface Outcome {
	readonly reply: Reply;
	readonly cookie?: string | undefined;
	/** What the request says and nothing reads. */
	readonly ignored?: readonly string[];
}

/** What becomes known of a request by and by. */
type Recorded = { -readonly [M in keyof RecordedRequest]: RecordedRequest[M] } & { readonly route: Route; held?: HeldBody };

/** What answering needs besides the request. */
export interface Responder {
	readonly context: HttpContext;
	readonly cors: Cors;
	/** What a browser is shown at the root. */
	readonly page: () => Reply;
}

/** Answers one request of a matched route; never rejects. */
export async function handleRoute(event: H3Event, route: Route, { context, cors }: Responder): Promise<HTTPResponse> {
	const started = performance.now();
	const requestId = toRequestId(event.req.headers.get("x-request-id"));
	let outcome: Outcome;
	try {
		outcome = await run(event, route, context, requestId);
	} catch (error) {
		// What fails because the client has gone is no failure of the service, and nobody reads the answer.
		outcome = { reply: event.req.signal.aborted ? goneReply : toErrorReply(error, context.logger, toLogFields(event, requestId)) };
	}
	const { cookie, ignored = [] } = outcome;
	const reply = ignored.length === 0 ? outcome.reply : withWarnings(outcome.reply, ignored);
	if (answered.hasSubscribers) answered.publish({ route, url: event.url, reply } satisfies Answered);
	const level = route.method === "GET" && reply.status < 400 ? "debug" : "info";
	const elapsed = performance.now() - started;
	const duration_ms = Math.round(elapsed * 1000) / 1000;
	context.metrics.answered(route, reply.status, elapsed);
	context.logger[level]("request", Object.assign(toLogFields(event, requestId), { status: reply.status, duration_ms }));
	return toResponse(reply, event.req, cors, requestId, cookie);
}

/** Answers what no route matched, and addresses that cannot be decoded. */
export function handleUnmatched(event: H3Event, reply: Reply, { context, cors }: Responder): HTTPResponse {
	const requestId = toRequestId(event.req.headers.get("x-request-id"));
	context.logger.debug("request", { ...toLogFields(event, requestId), status: reply.status });
	return toResponse(reply, event.req, cors, requestId);
}

/** 405 where the path takes other methods, else 404; both with the method and path asked for. */
export function replyNoRoute(event: H3Event, allowed: AllowedMethods): Reply {
	const methods = allowed.at(event.url.pathname);
	const message = `no route for ${event.req.method} ${toLoggedPath(event.url.pathname)}`;
	return methods.length === 0 ? replyFault(404, message) : replyFault(405, message, { allow: [...methods, "OPTIONS"].join(", ") });
}

/** No query: it may hold credentials. */
function toLogFields(event: H3Event, request_id: string) {
	return { method: event.req.method, path: toLoggedPath(event.url.pathname), request_id };
}

async function run(event: H3Event, route: Route, context: HttpContext, requestId: string): Promise<Outcome> {
	const { recorder } = context;
	const recorded: Recorded = {
		route,
		principal: nobody,
		path: noPath,
		headers: event.req.headers,
		requestId,
		peerAddress: () => (event.context["remoteAddress"] as string | undefined) ?? (event.req as ServerRequest).ip,
	};
	try {
		return await answer(event, recorded, context);
	} catch (error) {
		const isRefused = isSvcError(error, "SVC_FORBIDDEN") || (route.permission === "public" && isSignInRefusal(error));
		if (isRefused) await recorder.refused(recorded, error);
		throw error;
	} finally {
		recorded.held?.release();
	}
}

/** Nobody is refused at a route for everybody but who wants to sign in. */
function isSignInRefusal(error: unknown): boolean {
	return isSvcError(error, "SVC_UNAUTHORIZED") || isSvcError(error, "SVC_TOO_MANY");
}

/** What is known of the request by and by is noted in `recorded`. */
async function answer(event: H3Event, recorded: Recorded, context: HttpContext): Promise<Outcome> {
	const { route } = recorded;
	const {
		engine,
		guard,
		options,
		logger,
		clock,
		version,
		apiUrl,
		streams,
		metrics,
		broadcasts,
		bodies,
		isClosed,
		listener,
		description,
		recorder,
	} = context;
	if (isClosed() && route.isAlwaysOpen !== true) throw new SvcError("SVC_UNAVAILABLE", "the service is starting; try again");
	const request = event.req;
	const raw = parseQuery(event.url.search);
	const authenticated: Authenticated = route.permission === "public" ? { principal: nobody } : await authenticate(context, request, raw);
	const { principal, offered, cookie } = authenticated;
	recorded.principal = principal;
	assertGlobally(route, principal, context);
	// Named one by one: spreading costs as much as the rest of this function.
	const routeContext = {
		engine,
		guard,
		options,
		logger,
		clock,
		version,
		apiUrl,
		streams,
		metrics,
		broadcasts,
		bodies,
		openStream: () => streams.open(request, principal.username, offered && { offered, principal }),
		isClosed,
		listener,
		description,
		recorder,
		request,
		peerAddress: recorded.peerAddress,
		principal,
		path: event.context.params === undefined ? noPath : decodePath(event.context.params),
		query: castQuery(route.query ?? noQuerySchema, raw),
		body: await readRouteBody(recorded, request, context),
	};
	const ignored = findIgnored(route, raw, routeContext.body);
	const found = route.resource === undefined ? routeContext : { ...routeContext, path: await assertOnRecord(route, routeContext) };
	const reply = await handle(recorder, recorded, found);
	return { reply: mayHoldSecrets(route, found) ? { ...reply, headers: { ...reply.headers, ...noStore } } : reply, cookie, ignored };
}

/** The reply with warnings after its own. */
function withWarnings(reply: Reply, warnings: readonly string[]): Reply {
	const own = reply.headers[warningHeader];
	const headers = toWarningHeaders(warnings);
	const text = own === undefined ? headers[warningHeader] : `${own}; ${headers[warningHeader]}`;
	return { ...reply, headers: { ...reply.headers, [warningHeader]: text ?? "" } };
}

/** What reads changes nothing that is recorded. */
function handle(recorder: Recorder, recorded: Recorded, context: RouteContext): Promise<Reply> | Reply {
	const { route } = recorded;
	const isReading = route.method === "GET" || route.method === "HEAD";
	if (isReading && route.isRecorded !== true) return route.handler(context);
	recorded.path = context.path;
	return recorder.record(recorded, () => route.handler(context));
}

function readRouteBody(recorded: Recorded, request: ServerRequest, { options, bodies }: HttpContext): unknown {
	const { route, principal } = recorded;
	const { body } = route;
	if (body === undefined) return undefined;
	recorded.held = bodies.hold(principal.username);
	const isAnonymous = route.permission === "public";
	const bounds: BodyBounds = {
		limit: isAnonymous ? Math.min(maxAnonymousBytes, options.api.max_body_size) : options.api.max_body_size,
		timeout: isAnonymous ? anonymousTimeout : undefined,
		held: recorded.held,
	};
	if (body === "raw") return readRawBody(request, bounds);
	return body === "text" ? readTextBody(request, bounds) : readBody(request, body, bounds);
}

/** The router leaves segments as they came. */
function decodePath(parameters: Record<string, string>): Record<string, string> {
	const path: Record<string, string> = {};
	for (const name of Object.keys(parameters)) {
		try {
			path[name] = decodeURIComponent(parameters[name] ?? "");
		} catch (cause) {
			throw new SvcError("SVC_INVALID", `${name}: cannot be decoded`, { cause });
		}
	}
	return path;
}

/** The caller's own id when it is short and harmless in headers and logs, else a new one. */
function toRequestId(given: string | null): string {
	return given !== null && /^[\w.:@/+=-]{1,128}$/.test(given) ? given : randomUUID();
}

function toResponse(reply: Reply, request: Request, cors: Cors, requestId: string, cookie?: string): HTTPResponse {
	// Into an object of its own: to add members behind a spread costs a microsecond for each of them.
	const headers: Record<string, string> = Object.assign({}, cors.toHeaders(request.headers.get("origin")), sniffHeaders, reply.headers);
	headers["x-request-id"] = requestId;
	// Without the length Node sends text in pieces.
	if (typeof reply.body === "string") headers["content-length"] = String(Buffer.byteLength(reply.body));
	if (cookie !== undefined && reply.status < 400) headers["set-cookie"] ??= cookie;
	// Without it the status line ends behind the number, which some clients of HTTP/1.1 do not take.
	return new HTTPResponse(reply.body, { status: reply.status, statusText: STATUS_CODES[reply.status] ?? "", headers });
}

/** An answer of a route, before the headers that every answer carries. */
export interface Answered {
	readonly route: Route;
	readonly url: URL;
	readonly reply: Reply;
}

/** Told of every answer of a route. Only tests listen: they compare it with what the route declares. */
export const answered = channel("svc:http:answered");

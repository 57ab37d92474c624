import { randomUUID } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { STATUS_CODES } from "node:http";
import { type H3Event, HTTPResponse } from "h3";
import { isSvcError, SvcError } from "../contract/index.ts";
import type { AllowedMethods } from "./allowed-methods.ts";
import type { AuditedRequest, AuditHook } from "./audit-hook.ts";
import { type AuthenticationResult, anonymousPrincipal, authenticate } from "./authenticate.ts";
import { assertRecordPermission, assertRoutePermission } from "./authorize.ts";
import { readBody, readBodyWithBytes, readTextBody } from "./body.ts";
import type { BodyAllocation } from "./body-memory.ts";
import type { BodyReadOptions } from "./body-reader.ts";
import type { Cors } from "./cors.ts";
import { castQuery, parseQuery } from "./query.ts";
import { mayContainSecrets } from "./record-visibility.ts";
import { toLoggedPath } from "./redacted-path.ts";
import { noSniffHeaders, noStoreHeaders, type Reply, replyFault, toErrorReply } from "./replies.ts";
import type { HttpContext, Route, RouteContext } from "./route.ts";
import type { ServerRequest } from "./server-request.ts";
import { findIgnored, toWarningHeaders, warningHeader } from "./warnings.ts";

const noPathValues: Readonly<Record<string, string>> = {};
const noQuerySchema = {};
/**
 * Maximum bytes of the body of a public route. Any client may send such a body; it contains only names and a token of the identity
 * provider.
 */
const maxAnonymousBytes = 16_384;
/** Milliseconds within which the body of a request to a public route must arrive. */
const anonymousTimeoutMs = 10_000;
/** Reply for a client that has disconnected, which cannot receive it. Only its status is logged and counted. */
const clientGoneReply: Reply = { status: 499, headers: {}, body: null };

/** Reply of a route, and the headers to add to it. */
interface RouteResult {
	readonly reply: Reply;
	/** Value of the header `Set-Cookie`. */
	readonly cookie?: string | undefined;
	/** Warnings about query parameters and body members that the route does not read. */
	readonly ignored?: readonly string[];
}

/**
 * State of a request in the pipeline. Its fields are filled step by step, so that the audit record of a refused request has all fields that
 * were determined before the refusal.
 */
type RequestState = { -readonly [M in keyof AuditedRequest]: AuditedRequest[M] } & {
	readonly route: Route;
	bodyAllocation?: BodyAllocation;
};

/** Dependencies of the pipeline, shared by all requests of a listener. */
export interface PipelineDependencies {
	readonly context: HttpContext;
	readonly cors: Cors;
	/** Returns the page that a browser gets at the root. */
	readonly page: () => Reply;
	/** Returns the home page of the documentation site. Undefined if no feature provides one. */
	readonly documentation?: ((request: Request) => Promise<Reply>) | undefined;
}

/**
 * Answers one request of a matched route. Never rejects.
 *
 * A request passes through these steps, in this order. A step that fails ends the request with its status:
 *
 * 1. Starting: 503 while the service is starting, except for routes with `isAlwaysOpen`.
 * 2. Authentication: 401 without a valid credential, and 403 for a request by a page of another origin. Public routes skip this step.
 * 3. Permission of the route: 403 if it does not depend on a record and the caller lacks it.
 * 4. Input: path, query and body are decoded and checked. 400, 413 or 415; 503 if no memory for bodies is available.
 * 5. Permission on the record that the route names: 403, or the status with which finding the record fails, such as 404.
 * 6. Handler: requests that may change something run within the audit hook, which records the changes together with their caller.
 * 7. Headers, metrics and log: for every request, whether it succeeded or not.
 *
 * Guarantees that depend on this order:
 *
 * - A caller without the permission of a route cannot make the service buffer a body, because step 3 comes before step 4.
 * - Refusals do not reveal which input would be valid, as nothing of the input is checked before the caller's credential and route
 *   permission.
 * - Refused requests (403, and failed sign-ins) reach the audit hook before they are answered.
 * - The memory reserved for the body is released however the request ends. Otherwise later requests would be refused with 503 permanently.
 *
 * Concurrency: the steps of one request run one after the other. Requests share nothing but the services of the context, such as open
 * streams and the memory for bodies. A request is finished for this function when its reply is available. A stream in the body of the reply
 * is sent afterwards, so the measured duration ends where the response begins. If the client disconnects, the handler still runs to its
 * end. An error of such a request is reported as 499 and not logged as a failure of the service.
 */
export async function handleRoute(event: H3Event, route: Route, { context, cors }: PipelineDependencies): Promise<HTTPResponse> {
	const startedAt = performance.now();
	const requestId = toRequestId(event.req.headers.get("x-request-id"));
	let result: RouteResult;
	try {
		result = await runRoute(event, route, context, requestId);
	} catch (error) {
		// If the client has disconnected, the error is probably a consequence of that, and no client reads the reply.
		result = { reply: event.req.signal.aborted ? clientGoneReply : toErrorReply(error, context.logger, toLogFields(event, requestId)) };
	}
	const { cookie, ignored = [] } = result;
	const reply = ignored.length === 0 ? result.reply : withWarnings(result.reply, ignored);
	if (responseChannel.hasSubscribers) responseChannel.publish({ route, url: event.url, reply } satisfies RouteReplyMessage);
	const level = route.method === "GET" && reply.status < 400 ? "debug" : "info";
	const elapsedMs = performance.now() - startedAt;
	const duration_ms = Math.round(elapsedMs * 1000) / 1000;
	context.metrics.recordResponse(route, reply.status, elapsedMs);
	context.logger[level]("request", Object.assign(toLogFields(event, requestId), { status: reply.status, duration_ms }));
	return toResponse(reply, event.req, cors, requestId, cookie);
}

/** Answers a request without running a route, with the given reply: if no route matches, or the address cannot be decoded. */
export function handleUnmatched(event: H3Event, reply: Reply, { context, cors }: PipelineDependencies): HTTPResponse {
	const requestId = toRequestId(event.req.headers.get("x-request-id"));
	context.logger.debug("request", { ...toLogFields(event, requestId), status: reply.status });
	return toResponse(reply, event.req, cors, requestId);
}

/** Returns 405 if the path accepts other methods, otherwise 404. Both name the method and path of the request. */
export function replyNoRoute(event: H3Event, allowed: AllowedMethods): Reply {
	const methods = allowed(event.url.pathname);
	const message = `no route for ${event.req.method} ${toLoggedPath(event.url.pathname)}`;
	return methods.length === 0 ? replyFault(404, message) : replyFault(405, message, { allow: [...methods, "OPTIONS"].join(", ") });
}

/** Returns the log fields of a request, without the query, which may contain credentials. */
function toLogFields(event: H3Event, request_id: string) {
	return { method: event.req.method, path: toLoggedPath(event.url.pathname), request_id };
}

/** Runs a request through the steps up to the handler. Reports refusals to the audit hook and releases the memory for the body. */
async function runRoute(event: H3Event, route: Route, context: HttpContext, requestId: string): Promise<RouteResult> {
	const { recorder } = context;
	const state: RequestState = {
		route,
		principal: anonymousPrincipal,
		path: noPathValues,
		headers: event.req.headers,
		requestId,
		peerAddress: () => (event.context["remoteAddress"] as string | undefined) ?? (event.req as ServerRequest).ip,
	};
	try {
		return await answerRequest(event, state, context);
	} catch (error) {
		const isRefused = isSvcError(error, "SVC_FORBIDDEN") || (route.permission === "public" && isSignInRefusal(error));
		if (isRefused) await recorder.recordRefusal(state, error);
		throw error;
	} finally {
		state.bodyAllocation?.release();
	}
}

/** Returns true if a public route refused a sign-in: no other request to a public route is refused with these codes. */
function isSignInRefusal(error: unknown): boolean {
	return isSvcError(error, "SVC_UNAUTHORIZED") || isSvcError(error, "SVC_TOO_MANY");
}

/** Runs the steps of a request up to the handler. Fills `state` on the way. Throws the error of the first step that fails. */
async function answerRequest(event: H3Event, state: RequestState, context: HttpContext): Promise<RouteResult> {
	const { route } = state;
	const { streams } = context;
	if (context.isStarting() && route.isAlwaysOpen !== true) throw new SvcError("SVC_UNAVAILABLE", "the service is starting; try again");
	const request = event.req;
	const rawQuery = parseQuery(event.url.search);
	const { principal, offered, cookie }: AuthenticationResult =
		route.permission === "public" ? { principal: anonymousPrincipal } : await authenticate(context, request, rawQuery);
	state.principal = principal;
	assertRoutePermission(route, principal, context);
	// Members are listed one by one, because spreading the context takes as long as the rest of this function.
	const routeContext = {
		engine: context.engine,
		guard: context.guard,
		options: context.options,
		logger: context.logger,
		clock: context.clock,
		version: context.version,
		apiUrl: context.apiUrl,
		streams,
		metrics: context.metrics,
		sseFanOuts: context.sseFanOuts,
		bodies: context.bodies,
		openStream: () => streams.open(request, principal.username, offered && { offered, principal }),
		isStarting: context.isStarting,
		listener: context.listener,
		description: context.description,
		recorder: context.recorder,
		request,
		peerAddress: state.peerAddress,
		principal,
		path: event.context.params === undefined ? noPathValues : decodePath(event.context.params),
		query: castQuery(route.query ?? noQuerySchema, rawQuery),
		body: await readRouteBody(state, request, context),
	};
	const ignored = findIgnored(route, rawQuery, routeContext.body);
	const handlerContext =
		route.resource === undefined ? routeContext : { ...routeContext, path: await assertRecordPermission(route, routeContext) };
	const reply = await callHandler(context.recorder, state, handlerContext);
	const mustNotBeStored = mayContainSecrets(route, handlerContext);
	return { reply: mustNotBeStored ? { ...reply, headers: { ...reply.headers, ...noStoreHeaders } } : reply, cookie, ignored };
}

/** Returns the reply with the warnings appended to those that the handler has set. */
function withWarnings(reply: Reply, warnings: readonly string[]): Reply {
	const handlerWarnings = reply.headers[warningHeader];
	const headers = toWarningHeaders(warnings);
	const text = handlerWarnings === undefined ? headers[warningHeader] : `${handlerWarnings}; ${headers[warningHeader]}`;
	return { ...reply, headers: { ...reply.headers, [warningHeader]: text ?? "" } };
}

/** Calls the handler of the route, within the audit hook unless the request only reads. */
function callHandler(recorder: AuditHook, state: RequestState, context: RouteContext): Promise<Reply> | Reply {
	const { route } = state;
	const isReading = route.method === "GET" || route.method === "HEAD";
	if (isReading && route.isAudited !== true) return route.handler(context);
	state.path = context.path;
	return recorder.record(state, () => route.handler(context));
}

/** Returns the body as the route declares it, or undefined if the route has none. Counts its memory in `state.bodyAllocation`. */
function readRouteBody(state: RequestState, request: ServerRequest, { options, bodies }: HttpContext): unknown {
	const { route, principal } = state;
	const { body } = route;
	if (body === undefined) return undefined;
	state.bodyAllocation = bodies.allocate(principal.username);
	const isAnonymous = route.permission === "public";
	const bounds: BodyReadOptions = {
		maxBytes: isAnonymous ? Math.min(maxAnonymousBytes, options.api.max_body_size) : options.api.max_body_size,
		timeoutMs: isAnonymous ? anonymousTimeoutMs : undefined,
		allocation: state.bodyAllocation,
	};
	if (body === "raw") return readBodyWithBytes(request, bounds);
	return body === "text" ? readTextBody(request, bounds) : readBody(request, body, bounds);
}

/** Decodes the values of the path, because the router does not. Throws `SVC_INVALID` naming the parameter. */
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

/** Returns the caller's request id if it is short and harmless in headers and logs, otherwise a new one. */
function toRequestId(given: string | null): string {
	return given !== null && /^[\w.:@/+=-]{1,128}$/.test(given) ? given : randomUUID();
}

function toResponse(reply: Reply, request: Request, cors: Cors, requestId: string, cookie?: string): HTTPResponse {
	// Object.assign is used because adding members to an object made by spreading costs a microsecond for each of them.
	const headers: Record<string, string> = Object.assign({}, cors.toHeaders(request.headers.get("origin")), noSniffHeaders, reply.headers);
	headers["x-request-id"] = requestId;
	// Node sends strings with chunked encoding if the length is missing.
	if (typeof reply.body === "string") headers["content-length"] = String(Buffer.byteLength(reply.body));
	if (cookie !== undefined && reply.status < 400) headers["set-cookie"] ??= cookie;
	// If the reason phrase is missing, the status line ends after the number, which some HTTP/1.1 clients reject.
	return new HTTPResponse(reply.body, { status: reply.status, statusText: STATUS_CODES[reply.status] ?? "", headers });
}

/** Reply of a route, without the headers that are added to every response. */
export interface RouteReplyMessage {
	readonly route: Route;
	readonly url: URL;
	readonly reply: Reply;
}

/** Diagnostics channel of the replies of all routes. Only tests subscribe: they compare each reply with the declaration of the route. */
export const responseChannel = channel("svc:http:answered");

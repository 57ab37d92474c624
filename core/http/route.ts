import type { Clock, Logger, Options } from "../contract/index.ts";
import type { Principal } from "../kernel/basics/principal.ts";
import type { AccessGuard } from "./access-guard.ts";
import type { AuditHook } from "./audit-hook.ts";
import type { BodySchema, BodyWithBytes } from "./body.ts";
import type { BodyMemory } from "./body-memory.ts";
import type { HttpMetrics } from "./http-metrics.ts";
import type { OpenStream, OpenStreams } from "./open-streams.ts";
import type { ApiDescriptionProvider } from "./openapi/api-description-provider.ts";
import type { Answers } from "./openapi/responses.ts";
import type { QuerySchema, QueryValues } from "./query.ts";
import type { Reply } from "./replies.ts";
import type { GuardedResource, RoutePermission } from "./route-permission.ts";
import type { ServerRequest } from "./server-request.ts";
import type { SseFanOutHub } from "./sse-fan-out-hub.ts";

/** The listeners of the service, each with its own routes. */
export type Component = "auth" | "api" | "stream";

/** An HTTP method that routes can have. */
export type Method = "GET" | "HEAD" | "POST" | "PUT" | "DELETE";

/** Services that all requests share. `E` is the part of the engine that the routes use; each route declares its own part. */
export interface HttpContext<E = unknown> {
	readonly engine: E;
	readonly guard: AccessGuard;
	readonly options: Options;
	readonly logger: Logger;
	readonly clock: Clock;
	readonly version: string;
	/** Returns the address of the API listener, without a path: the actual one once it is open, otherwise the configured one. */
	apiUrl(): string;
	/** Returns true if the service is still starting. Only routes with `isAlwaysOpen` are answered then. */
	isStarting(): boolean;
	/** Component whose listener received the request. For an embedded service it is the API. */
	readonly listener: Component;
	readonly streams: OpenStreams;
	/** Metrics of requests and event streams. */
	readonly metrics: HttpMetrics;
	/** Event streams that clients share. */
	readonly sseFanOuts: SseFanOutHub;
	/** Limits the memory of request bodies. */
	readonly bodies: BodyMemory;
	/** API description of all routes. */
	readonly description: ApiDescriptionProvider;
	/** Records changes and refused requests. */
	readonly recorder: AuditHook;
}

/** A request as a handler receives it: its credential, permission and input have been checked. */
export interface RouteContext<E = unknown, Q extends QuerySchema = QuerySchema, B = unknown> extends HttpContext<E> {
	readonly request: ServerRequest;
	/** Opens a stream for the caller. Throws `SVC_TOO_MANY` if the user has reached the limit of open streams. */
	openStream(): OpenStream;
	/** Returns the address of the other end of the connection, which may be a proxy. Returns undefined if it is unknown. */
	peerAddress(): string | undefined;
	/** The caller. On public routes an anonymous principal: an empty username without permissions. */
	readonly principal: Principal;
	/** Values of the `:name` segments of the path, decoded. */
	readonly path: Readonly<Record<string, string>>;
	readonly query: QueryValues<Q>;
	readonly body: B;
}

/** Declaration of a route: its method and path, permission, input, answers and handler. */
export interface Route<E = unknown, Q extends QuerySchema = QuerySchema, B = unknown> {
	readonly method: Method;
	/** Path without prefix. `:name` is a variable segment, `**:name` the rest of the path. */
	readonly path: string;
	/** Further paths of the route. Default none. */
	readonly aliases?: readonly string[];
	/** True if a route of the component `stream` is also answered at the paths of the API. Default false. */
	readonly isOnApi?: boolean;
	readonly component: Component;
	/** Title of the route in the API description: its effect in a few words. */
	readonly summary: string;
	/** Further text for the API description. */
	readonly description?: string;
	/** Answers by status. Those that follow from the permission, path, query and body are added automatically. */
	readonly answers: Answers;
	readonly permission: RoutePermission;
	/** True if a public route takes a name and a password. Default false. */
	readonly isSignIn?: boolean;
	/**
	 * True if a GET or HEAD request changes something and must be recorded. Default false. Requests with other methods are always
	 * recorded.
	 */
	readonly isAudited?: boolean;
	/** True if the route is also answered while the service is starting. Default false. */
	readonly isAlwaysOpen?: boolean;
	/** True if the route serves monitoring and is also answered on the listener for health checks. Default false. */
	readonly isForMonitoring?: boolean;
	/**
	 * Returns the record that the caller needs the permission on. Required unless the permission concerns no single record. Throws the
	 * errors that the handler would throw, such as `SVC_NOT_FOUND`.
	 */
	resource?(context: RouteContext<E, Q, B>): Promise<GuardedResource> | GuardedResource;
	/** Query parameters of the route and their types. Other parameters are ignored. */
	readonly query?: Q;
	/** True if the handler reads query parameters of any name. No warnings about ignored input are sent then. Default false. */
	readonly readsAnyQuery?: boolean;
	/**
	 * Schema of the body. `raw`: the handler gets the bytes and the unchecked value (`BodyWithBytes`). `text`: the handler gets the text.
	 * Undefined: the body is not read.
	 */
	readonly body?: BodySchema<B> | "raw" | "text";
	handler(context: RouteContext<E, Q, B>): Promise<Reply> | Reply;
}

/** Declaration of a route without the members `K`, which follow from the function that declares it. The component is `api` by default. */
type RouteInput<E, Q extends QuerySchema, B, K extends keyof Route = never> = Omit<Route<E, Q, B>, "component" | K> & {
	readonly component?: Component;
};

/** Functions that declare routes that use the part `E` of the engine. */
export interface RouteDeclarations<E> {
	/** Declares a route. In the handler, query values and body have the types of their schemas. */
	defineRoute<const Q extends QuerySchema = Record<never, never>, B = undefined>(route: RouteInput<E, Q, B>): Route<E>;
	/** Declares a route whose handler gets the bytes of the body and its unchecked value. */
	defineRawRoute<const Q extends QuerySchema = Record<never, never>>(route: RouteInput<E, Q, BodyWithBytes, "body">): Route<E>;
	/** Declares a route whose handler gets the text of the body. */
	defineTextRoute<const Q extends QuerySchema = Record<never, never>>(route: RouteInput<E, Q, string, "body">): Route<E>;
}

/** Returns the functions that declare routes that use the part `E` of the engine. */
export function createRouteDeclarations<E>(): RouteDeclarations<E> {
	return {
		defineRoute: (route) => ({ component: "api", ...route }) as Route<E>,
		defineRawRoute: (route) => ({ component: "api", ...route, body: "raw" }) as Route<E>,
		defineTextRoute: (route) => ({ component: "api", ...route, body: "text" }) as Route<E>,
	};
}

import type { Clock, Logger, Options } from "../contract/index.ts";
import type { Principal } from "../kernel/basics/principal.ts";
import type { Recorder } from "./audit-hook.ts";
import type { Guard } from "./authorizer.ts";
import type { BodySchema, RawBody } from "./body.ts";
import type { BodyMemory } from "./body-memory.ts";
import type { HttpMetrics } from "./http-metrics.ts";
import type { OpenStream, OpenStreams } from "./open-streams.ts";
import type { Description } from "./openapi/description.ts";
import type { Answers } from "./openapi/responses.ts";
import type { GuardedResource, Permission } from "./permissions.ts";
import type { QuerySchema, QueryValues } from "./query.ts";
import type { Reply } from "./replies.ts";
import type { ServerRequest } from "./server-request.ts";
import type { Broadcasts } from "./sse-fan-outs.ts";

/** The listeners of the service, each with its own routes. */
export type Component = "auth" | "api" | "stream";

/** A method of HTTP. */
export type Method = "GET" | "HEAD" | "POST" | "PUT" | "DELETE";

/** What all requests share. `E` is the engine as far as the routes know it: each names what it asks of it. */
export interface HttpContext<E = unknown> {
	readonly engine: E;
	readonly guard: Guard;
	readonly options: Options;
	readonly logger: Logger;
	readonly clock: Clock;
	readonly version: string;
	/** Public address of the API without path, once it listens. */
	apiUrl(): string;
	/** Whether the service has not started yet: only health checks are answered then. */
	isClosed(): boolean;
	/** The component whose listener took the request; a service that is mounted answers as the API does. */
	readonly listener: Component;
	readonly streams: OpenStreams;
	/** What is measured. */
	readonly metrics: HttpMetrics;
	/** What is said to many at once. */
	readonly broadcasts: Broadcasts;
	/** Bounds the memory that bodies of requests take. */
	readonly bodies: BodyMemory;
	/** What all routes of the service are. */
	readonly description: Description;
	/** Keeps a record of what is changed. */
	readonly recorder: Recorder;
}

/** One request, checked: what a handler gets. */
export interface RouteContext<E = unknown, Q extends QuerySchema = QuerySchema, B = unknown> extends HttpContext<E> {
	readonly request: ServerRequest;
	/** Take a stream for whoever asks. `SVC_TOO_MANY` when the user holds as many as one may. */
	openStream(): OpenStream;
	/** Address of the other end of the connection, which may be a proxy; undefined where nobody knows. */
	peerAddress(): string | undefined;
	/** Whoever asks. On public routes nobody: an empty name without rights. */
	readonly principal: Principal;
	/** Values of the `:name` segments of the path, decoded. */
	readonly path: Readonly<Record<string, string>>;
	readonly query: QueryValues<Q>;
	readonly body: B;
}

/** A request that the HTTP interface answers. */
export interface Route<E = unknown, Q extends QuerySchema = QuerySchema, B = unknown> {
	readonly method: Method;
	/** Path without prefix, `:name` for a variable segment. */
	readonly path: string;
	/** Further paths that are answered in the same way. Default none. */
	readonly aliases?: readonly string[];
	/** Of the component `stream`: answered at the paths of the API too. Default false. */
	readonly isOnApi?: boolean;
	readonly component: Component;
	/** What it does, in a few words. */
	readonly summary: string;
	/** More about it, where that needs saying. */
	readonly description?: string;
	/** By status, what it answers. What follows from its permission, path, query and body is added by itself. */
	readonly answers: Answers;
	readonly permission: Permission;
	/** Of a public route: takes a name and a password. Default false. */
	readonly isSignIn?: boolean;
	/** Recorded although it is a GET, as it changes something all the same. Default false; every other method is. */
	readonly isRecorded?: boolean;
	/** Answered also while the service has not started. Default false. */
	readonly isAlwaysOpen?: boolean;
	/** For whoever watches the node: answered on its listener for health checks too. Default false. */
	readonly isForWatchers?: boolean;
	/** The record the permission is asked for; needed unless it is a permission that concerns no single record. Throws what the handler would. */
	resource?(context: RouteContext<E, Q, B>): Promise<GuardedResource> | GuardedResource;
	/** Declared query parameters and their types; others are ignored. */
	readonly query?: Q;
	/** True if the handler reads query parameters of any name: none is called ignored. Default false. */
	readonly readsAnyQuery?: boolean;
	/** Without it the body is not read. `raw`: bytes and what they say, unchecked; the handler gets a `RawBody`. `text`: as it stands. */
	readonly body?: BodySchema<B> | "raw" | "text";
	handler(context: RouteContext<E, Q, B>): Promise<Reply> | Reply;
}

/** Declarations of routes that know as much of the engine as `E`. */
export interface RouteDeclarations<E> {
	/** Declare a route; query values and body are typed from their schemas inside the handler. */
	defineRoute<const Q extends QuerySchema = Record<never, never>, B = undefined>(route: Route<E, Q, B>): Route<E>;
	/** Declare a route whose handler gets the body as it came. */
	defineRawRoute<const Q extends QuerySchema = Record<never, never>>(route: Omit<Route<E, Q, RawBody>, "body">): Route<E>;
	/** Declare a route whose handler gets the text of the body. */
	defineTextRoute<const Q extends QuerySchema = Record<never, never>>(route: Omit<Route<E, Q, string>, "body">): Route<E>;
}

/** How routes are declared that ask something of the engine. */
export function routesOver<E>(): RouteDeclarations<E> {
	return {
		defineRoute: (route) => route as Route<E>,
		defineRawRoute: (route) => ({ ...route, body: "raw" }) as Route<E>,
		defineTextRoute: (route) => ({ ...route, body: "text" }) as Route<E>,
	};
}

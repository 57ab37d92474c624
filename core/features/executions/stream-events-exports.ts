import type { AnnouncementSubject, JsonObject } from "../../contract/index.ts";
import type { TaskUpdate } from "../../kernel/executions/execution-events.ts";
import type { ExecutionView, OutputChunk } from "../../kernel/executions/executions-api.ts";

/** Change of an execution, with the record at that time. A live action is another view of an execution. */
interface ChangeEvent<K extends "execution" | "liveaction"> {
	readonly kind: K;
	readonly view: ExecutionView;
}

/** Types of the contents of events, by event name. The name of an announcement ends in the route under which it was published. */
export interface StreamEventMap {
	"svc.execution__create": ChangeEvent<"execution">;
	"svc.execution__update": ChangeEvent<"execution">;
	"svc.liveaction__create": ChangeEvent<"liveaction">;
	"svc.liveaction__update": ChangeEvent<"liveaction">;
	"svc.execution.output__create": { readonly kind: "output"; readonly chunk: OutputChunk };
	/** A task of a workflow has changed. Its secrets are masked. */
	"svc.task__update": { readonly kind: "task"; readonly task: TaskUpdate };
	/** With `about`, the event is sent only to clients that may view that execution, and to the user who started it. */
	[announcement: `svc.announcement__${string}`]: {
		readonly kind: "other";
		readonly data: JsonObject;
		readonly about?: AnnouncementSubject;
	};
}

/** Names of events. */
export type StreamEventName = keyof StreamEventMap;

/** Event names that a pattern matches: the name itself, or every name with the prefix before a final `*`. */
export type NamesOf<P extends string> = string extends P
	? StreamEventName
	: P extends `${infer Beginning}*`
		? Extract<StreamEventName, `${Beginning}${string}`> | Extract<`${Beginning}${string}`, StreamEventName>
		: Extract<P, StreamEventName>;

/** An event whose name is one of `N`. */
export type StreamEvent<N extends StreamEventName = StreamEventName> = N extends StreamEventName
	? { readonly name: N } & StreamEventMap[N]
	: never;

/** A name or pattern that matches at least one event. A string that is not known at compile time is always accepted. */
type Known<P extends string> = P extends unknown ? (string extends P ? P : [NamesOf<P>] extends [never] ? StreamEventName : P) : never;

/** Live events of an engine. */
export interface Events {
	/**
	 * Subscribes to events. The subscription is active when the promise resolves and contains only later events. A `*` at the end of a
	 * name matches any suffix. The iteration ends without an error when `signal` aborts, when the engine stops, and when a loop is left.
	 * It throws `SVC_SUBSCRIBER_LAGGED` if events may be missing: the reader lags by 2,000 events, or the event bus may have lost some.
	 */
	subscribe<const P extends string>(
		names: readonly P[] & readonly Known<P>[],
		options: { readonly signal: AbortSignal },
	): Promise<AsyncIterable<StreamEvent<NamesOf<P>>>>;
}

/** Live events for a fan-out to many clients. */
export interface EventFeed {
	/** Events derived from each change, in order. Ends like the iteration of `Events.subscribe`. */
	readonly events: AsyncIterable<readonly StreamEvent[]>;
	/** Returns the number of elements that `events` has received so far, including unread ones. */
	published(): number;
}

/** Source of event feeds. All feeds get the same objects. */
export interface EventFeeds {
	open(names: readonly string[], options: { readonly signal: AbortSignal }): Promise<EventFeed>;
}

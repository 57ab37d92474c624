import type { AnnouncedExecution, JsonObject } from "../../contract/index.ts";
import type { TaskUpdate } from "../../kernel/executions/execution-events.ts";
import type { ExecutionView, OutputChunk } from "../../kernel/executions/executions-api.ts";

/** Something that happened to an execution, as it was then. A live action is the same record by another name. */
interface ChangeEvent<K extends "execution" | "liveaction"> {
	readonly kind: K;
	readonly view: ExecutionView;
}

/** What each event carries, by its name. A route is what the announcement was published under. */
export interface EventMap {
	"svc.execution__create": ChangeEvent<"execution">;
	"svc.execution__update": ChangeEvent<"execution">;
	"svc.liveaction__create": ChangeEvent<"liveaction">;
	"svc.liveaction__update": ChangeEvent<"liveaction">;
	"svc.execution.output__create": { readonly kind: "output"; readonly chunk: OutputChunk };
	/** A task of a workflow has changed; what is secret in it is masked. */
	"svc.task__update": { readonly kind: "task"; readonly task: TaskUpdate };
	/** With `about` only those who may view that execution, and the user who started it, are shown it. */
	[announcement: `svc.announcement__${string}`]: { readonly kind: "other"; readonly data: JsonObject; readonly about?: AnnouncedExecution };
}

/** Names of events. */
export type EventName = keyof EventMap;

/** Names that a pattern stands for: itself, or with a `*` at its end all that begin like it. */
export type NamesOf<P extends string> = string extends P
	? EventName
	: P extends `${infer Beginning}*`
		? Extract<EventName, `${Beginning}${string}`> | Extract<`${Beginning}${string}`, EventName>
		: Extract<P, EventName>;

/** An event whose name is one of `N`. */
export type StreamEvent<N extends EventName = EventName> = N extends EventName ? { readonly name: N } & EventMap[N] : never;

/** A name or pattern that stands for something; a text that is not known before the program runs may be anything. */
type Known<P extends string> = P extends unknown ? (string extends P ? P : [NamesOf<P>] extends [never] ? EventName : P) : never;

/** Live events of an engine. */
export interface Events {
	/**
	 * Active when the promise resolves; only what happens afterwards. A `*` at the end of a name stands for any rest. Ends without an
	 * error when `signal` aborts and when the engine stops; a loop that is left ends it too. `SVC_SUBSCRIBER_LAGGED` is thrown where
	 * events may be missing: for a reader that is 2,000 events behind, and when the event bus may have lost some.
	 */
	subscribe<const P extends string>(
		names: readonly P[] & readonly Known<P>[],
		options: { readonly signal: AbortSignal },
	): Promise<AsyncIterable<StreamEvent<NamesOf<P>>>>;
}

/** Live events for somebody who passes them on to many. */
export interface EventFeed {
	/** What has come of each change, in order. Ends as `Events.subscribe` does. */
	readonly events: AsyncIterable<readonly StreamEvent[]>;
	/** How many elements `events` has had so far, read or not. */
	published(): number;
}

/** Where such events come from. All feeds get the same objects. */
export interface EventFeeds {
	open(names: readonly string[], options: { readonly signal: AbortSignal }): Promise<EventFeed>;
}

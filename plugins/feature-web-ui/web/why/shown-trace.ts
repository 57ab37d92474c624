import type { ComponentChildren } from "preact";
import type { TraceTree } from "./read-trace.ts";

/** Properties that all elements of a displayed trace get. */
export interface ShownTrace extends Pick<TraceTree, "branches" | "path"> {
	/** Id of the execution or event that the address selects. */
	readonly chosen: string;
	/** Depth up to which the tree is expanded at first. */
	readonly openTo: number;
	/** Renders the effects of a component at this depth of the tree. */
	below(key: string, depth: number): ComponentChildren;
}

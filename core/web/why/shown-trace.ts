import type { ComponentChildren } from "preact";
import type { TraceTree } from "./read-trace.ts";

/** What all parts of a tree know. */
export interface ShownTrace extends Pick<TraceTree, "branches" | "path"> {
	/** Id of what the address names. */
	readonly chosen: string;
	/** How deep it is open at first. */
	readonly openTo: number;
	/** What a component has caused, so deep in the tree. */
	below(key: string, depth: number): ComponentChildren;
}

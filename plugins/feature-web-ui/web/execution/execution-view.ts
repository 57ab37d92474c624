import type { ComponentType } from "preact";
import type { ExecutionRecord } from "../../../_shipped/client.ts";
import type { Resource } from "../kit/resource.ts";

/** Properties of a view of an execution. */
export interface ExecutionViewProps {
	readonly run: ExecutionRecord;
	/** Resource of `run`, to read it again. */
	readonly resource: Resource<ExecutionRecord>;
}

/** Entry of a view in the list of views (`execution-views.ts`). */
export interface ExecutionViewDefinition {
	/** Name in the address: `/history/<id>/<name>`. */
	readonly name: string;
	readonly title: string;
	/** Returns true if the view is available for an execution. Default: it is available for all. */
	isOffered?(run: ExecutionRecord): boolean;
	/** Returns the number of items in the view, which is shown next to its title. */
	count?(run: ExecutionRecord): number | undefined;
	load(): Promise<{ readonly View: ComponentType<ExecutionViewProps> }>;
}

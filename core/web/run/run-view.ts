import type { ComponentType } from "preact";
import type { ExecutionRecord } from "../../features/clients.ts";
import type { Resource } from "../kit/resource.ts";

/** What a view of an execution is given. */
export interface RunViewProps {
	readonly run: ExecutionRecord;
	/** The same, to be read again. */
	readonly resource: Resource<ExecutionRecord>;
}

/** A view of an execution, as the list of them has it (`core/web/run/run-views.ts`). */
export interface RunViewDefinition {
	/** In the address: `/history/<id>/<name>`. */
	readonly name: string;
	readonly title: string;
	/** Of which executions there is such a view. Default: all. */
	isOffered?(run: ExecutionRecord): boolean;
	/** How many there are in it, beside its title. */
	count?(run: ExecutionRecord): number | undefined;
	load(): Promise<{ readonly View: ComponentType<RunViewProps> }>;
}

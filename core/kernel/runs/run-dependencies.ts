import type { ExecutionEntity } from "../../contract/index.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { LeasePolicy } from "../coordination/lease-policy.ts";
import type { StaleWriteCounter } from "../coordination/stale-write-counter.ts";
import type { Dispatcher } from "../events/event-dispatcher-api.ts";
import type { TriggerTypeRegistry } from "../events/trigger-type-registry.ts";
import type { ActionCatalog } from "../executions/action-catalog.ts";
import type { CompletionEffects } from "../executions/completion-effects.ts";
import type { InsertAdmitted } from "../executions/new-execution.ts";
import type { BulkOutputDetector } from "../output/bulk-output-detector.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { TemplateSources } from "../submission/parameter-rendering.ts";
import type { TelemetryHub } from "../telemetry/telemetry-hub.ts";
import type { RunCredentials } from "./run-credentials.ts";

/** Parts of an engine that carry out runs. The classes of this folder share them. */
export interface RunDependencies
	extends Uses<"storage" | "eventBus" | "clock" | "runners" | "options" | "authority" | "sealedSecrets" | "dialects" | "isWorkflow"> {
	readonly leasing: LeasePolicy;
	readonly logger: EngineDependencies["logger"];
	readonly catalog: ActionCatalog;
	readonly apiUrl: () => string;
	readonly dataDirectory: string;
	readonly runCredentials: RunCredentials;
	readonly completionEffects: CompletionEffects;
	readonly dispatcher: Pick<Dispatcher, "dispatch">;
	readonly triggerTypes: TriggerTypeRegistry;
	readonly templateSources: TemplateSources;
	readonly hub: Pick<TelemetryHub, "tracing">;
	readonly bulkOutput: BulkOutputDetector;
	readonly staleWrites: Pick<StaleWriteCounter, "recordRefusal">;
	/** Calls `store` to insert new executions, all or none, and schedules their runs. */
	readonly admitAll: (executions: readonly ExecutionEntity[], store: InsertAdmitted) => Promise<void>;
	/** Called when a run begins to wait for its children, which frees its slot. */
	readonly onSlotFreed: () => void;
}

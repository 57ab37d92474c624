import type {
	EntityKind,
	EntityMap,
	EventData,
	ExecutionEntity,
	Exposition,
	GaugeReading,
	HistogramDefinition,
	Instrument,
	Logger,
	Meters,
	MetricDefinition,
	Span,
	Telemetry,
	TriggerInstanceEntity,
} from "../../contract/index.ts";

type ReadGauge = () => GaugeReading | Promise<GaugeReading>;
type OnStored<K extends EntityKind> = (entities: readonly EntityMap[K][]) => void;

/** Receives each bus event that this node publishes. The reported changes are already stored. */
export interface PublishListener {
	onPublished(name: string, data: EventData): void;
}

/** Receives each trigger instance that was processed after it was stored. Those inserted as processed are reported by `onStored`. */
export type OnProcessed = (instance: TriggerInstanceEntity) => void;

/** Provides the trace context of executions, which is sent with requests to other services. */
export interface Tracing {
	/** Returns the value of the header `traceparent` for an execution. */
	traceparentOf(execution: Pick<ExecutionEntity, "id" | "trace_id">): Promise<string>;
}

/** Passes measurements to the instruments of all plugins. Drops measurements that are recorded before the plugins have started. */
class SharedInstrument implements Instrument {
	#instruments: readonly Instrument[] = [];

	record(value: number, ...labels: readonly string[]): void {
		for (const instrument of this.#instruments) instrument.record(value, ...labels);
	}

	add(instrument: Instrument): void {
		this.#instruments = [...this.#instruments, instrument];
	}
}

interface MetricDeclaration {
	/** Undefined for a gauge, whose value is read by a function instead of recorded. */
	readonly instrument: SharedInstrument | undefined;
	declare(meters: Meters): void;
}

/**
 * Passes measurements and events from the parts of the engine to the telemetry plugins. Without plugins it records nothing and calls no
 * listener.
 */
export class TelemetryHub implements Meters {
	readonly #plugins: readonly Telemetry[];
	readonly #logger: Logger | undefined;
	/** Declared metrics, by name. */
	readonly #declarations = new Map<string, MetricDeclaration>();
	/** Functions that read the gauges, by name. */
	readonly #gaugeReaders = new Map<string, ReadGauge>();
	readonly #storedListeners = new Map<EntityKind, OnStored<never>[]>();
	readonly #busListeners: PublishListener[] = [];
	readonly #processedListeners: OnProcessed[] = [];
	#tracing: Tracing | undefined;
	#meters: readonly Meters[] = [];
	#hasFailed = false;

	/** @param plugins plugins in the order of the configuration; without plugins, the hub is off */
	constructor(plugins: readonly Telemetry[] = [], logger?: Logger) {
		this.#plugins = plugins;
		this.#logger = logger;
	}

	/** True if a telemetry plugin exists. */
	get isOn(): boolean {
		return this.#plugins.length > 0;
	}

	/** True if a plugin receives spans. */
	get acceptsSpans(): boolean {
		return this.#plugins.some((plugin) => plugin.span !== undefined);
	}

	/** Returns true if a plugin wants the spans of a trace that begins here. */
	isSampled(traceId: string): boolean {
		return this.#plugins.some((plugin) => plugin.span !== undefined && plugin.samples?.(traceId) !== false);
	}

	/** Provider of the trace context of executions; undefined if no feature provides one. */
	get tracing(): Tracing | undefined {
		return this.#tracing;
	}

	/** Starts to pass measurements to the plugins. Must be called when the plugins have started. */
	connectPlugins(): void {
		this.#meters = this.#plugins.flatMap((plugin) => plugin.meters?.() ?? []);
		for (const { declare } of this.#declarations.values()) for (const meters of this.#meters) declare(meters);
	}

	counter(definition: MetricDefinition): Instrument {
		return this.#instrument(definition, (meters) => meters.counter(definition));
	}

	histogram(definition: HistogramDefinition): Instrument {
		return this.#instrument(definition, (meters) => meters.histogram(definition));
	}

	gauge(definition: MetricDefinition, read: ReadGauge): void {
		const isDeclared = this.#gaugeReaders.has(definition.name);
		// Use the latest `read`, because the object that declared the gauge earlier may no longer be in use.
		this.#gaugeReaders.set(definition.name, read);
		if (isDeclared) return;
		const readSafely = async () => {
			try {
				return (await this.#gaugeReaders.get(definition.name)?.()) ?? [];
			} catch (error) {
				// Ignore the error: the other metrics must be readable even if the storage is unavailable.
				this.#logger?.debug("a gauge could not be read", { metric: definition.name, error });
				return [];
			}
		};
		this.#declare(definition.name, { instrument: undefined, declare: (meters) => meters.gauge(definition, readSafely) });
	}

	/** Calls `listener` with new records of a kind whenever this node has stored some. Has no effect without plugins. */
	onStored<K extends EntityKind>(kind: K, listener: OnStored<K>): void {
		if (this.isOn) this.#storedListeners.set(kind, [...(this.#storedListeners.get(kind) ?? []), listener]);
	}

	/** Notifies the listeners of new records that this node has stored. */
	notifyStored<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): void {
		const listeners = this.#storedListeners.get(kind);
		if (listeners !== undefined) this.#notify(listeners, (listener) => (listener as OnStored<K>)(entities));
	}

	/** Adds a listener for the bus events that this node publishes. Has no effect without plugins. */
	onPublished(listener: PublishListener): void {
		if (this.isOn) this.#busListeners.push(listener);
	}

	/** Notifies the listeners of a bus event that this node has published. */
	notifyPublished(name: string, data: EventData): void {
		this.#notify(this.#busListeners, (listener) => listener.onPublished(name, data));
	}

	/** Adds a listener for processed events (see `OnProcessed`). Has no effect without plugins. */
	onProcessed(listener: OnProcessed): void {
		if (this.isOn) this.#processedListeners.push(listener);
	}

	/** Notifies the listeners of a stored event that this node has processed. */
	notifyProcessed(instance: TriggerInstanceEntity): void {
		this.#notify(this.#processedListeners, (listener) => listener(instance));
	}

	/** Sets the provider of the trace context for runs of this node. */
	setTracing(tracing: Tracing): void {
		this.#tracing = tracing;
	}

	/** Passes a finished span to the plugins. */
	recordSpan(span: Span): void {
		this.#notify(this.#plugins, (plugin) => plugin.span?.(span));
	}

	/** Returns all current measurements; undefined if no plugin keeps them. */
	async expose(): Promise<Exposition | undefined> {
		for (const plugin of this.#plugins) {
			const exposition = await plugin.expose?.();
			if (exposition !== undefined) return exposition;
		}
		return undefined;
	}

	/**
	 * Calls each listener. Throws no errors, because the reported work is already done. Logs only the first error, because every further call
	 * may fail too.
	 */
	#notify<L>(listeners: readonly L[], call: (listener: L) => void): void {
		for (const listener of listeners) {
			try {
				call(listener);
			} catch (error) {
				if (!this.#hasFailed) this.#logger?.error("telemetry failed; further failures are not logged", { error });
				this.#hasFailed = true;
			}
		}
	}

	#instrument({ name }: MetricDefinition, create: (meters: Meters) => Instrument): Instrument {
		const declaredInstrument = this.#declarations.get(name)?.instrument;
		if (declaredInstrument !== undefined) return declaredInstrument;
		const instrument = new SharedInstrument();
		this.#declare(name, { instrument, declare: (meters) => instrument.add(create(meters)) });
		return instrument;
	}

	#declare(name: string, declaration: MetricDeclaration): void {
		this.#declarations.set(name, declaration);
		for (const meters of this.#meters) declaration.declare(meters);
	}
}

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

type Read = () => GaugeReading | Promise<GaugeReading>;
type OnStored<K extends EntityKind> = (entities: readonly EntityMap[K][]) => void;

/** Hears what this node tells everybody, once it is stored. */
export interface BusListener {
	published(name: string, data: EventData): void;
}

/** Hears of events that have been looked at. */
export type OnProcessed = (instance: TriggerInstanceEntity) => void;

/** Says where what an execution does stands in its trace: for whoever it asks to do something. */
export interface Tracing {
	/** As the header `traceparent` has it. */
	traceparentOf(execution: Pick<ExecutionEntity, "id" | "trace_id">): Promise<string>;
}

/** Passes measurements on to all who take them; to nobody before they have started. */
class SharedInstrument implements Instrument {
	#takers: readonly Instrument[] = [];

	record(value: number, ...labels: readonly string[]): void {
		for (const taker of this.#takers) taker.record(value, ...labels);
	}

	add(taker: Instrument): void {
		this.#takers = [...this.#takers, taker];
	}
}

interface Declared {
	/** Undefined of a gauge, which is read. */
	readonly instrument: SharedInstrument | undefined;
	declare(meters: Meters): void;
}

/** What the parts of the engine tell, and where it goes. Without plugins nothing is kept, and nothing is called that costs anything. */
export class TelemetryHub implements Meters {
	readonly #plugins: readonly Telemetry[];
	readonly #logger: Logger | undefined;
	readonly #declared = new Map<string, Declared>();
	/** What gauges are read by, by name. */
	readonly #reads = new Map<string, Read>();
	readonly #watchers = new Map<EntityKind, OnStored<never>[]>();
	readonly #listeners: BusListener[] = [];
	readonly #onProcessed: OnProcessed[] = [];
	#tracing: Tracing | undefined;
	#takers: readonly Meters[] = [];
	#hasFailed = false;

	/** @param plugins in the order of the configuration; without any it is off */
	constructor(plugins: readonly Telemetry[] = [], logger?: Logger) {
		this.#plugins = plugins;
		this.#logger = logger;
	}

	/** Whether there is anybody to tell. */
	get isOn(): boolean {
		return this.#plugins.length > 0;
	}

	/** Whether anybody takes spans. */
	get takesSpans(): boolean {
		return this.#plugins.some((plugin) => plugin.span !== undefined);
	}

	/** Whether anybody wants spans of a trace that begins here. */
	samples(traceId: string): boolean {
		return this.#plugins.some((plugin) => plugin.span !== undefined && plugin.samples?.(traceId) !== false);
	}

	/** Undefined where nobody traces. */
	get tracing(): Tracing | undefined {
		return this.#tracing;
	}

	/** The plugins have started: they take what is told from now on. */
	open(): void {
		this.#takers = this.#plugins.flatMap((plugin) => plugin.meters?.() ?? []);
		for (const { declare } of this.#declared.values()) for (const meters of this.#takers) declare(meters);
	}

	counter(definition: MetricDefinition): Instrument {
		return this.#instrument(definition, (meters) => meters.counter(definition));
	}

	histogram(definition: HistogramDefinition): Instrument {
		return this.#instrument(definition, (meters) => meters.histogram(definition));
	}

	gauge(definition: MetricDefinition, read: Read): void {
		const isKnown = this.#reads.has(definition.name);
		// Whoever declares it again is there now, and who did before may be gone.
		this.#reads.set(definition.name, read);
		if (isKnown) return;
		const guarded = async () => {
			try {
				return (await this.#reads.get(definition.name)?.()) ?? [];
			} catch (error) {
				// Whoever looks while the storage is away sees the rest.
				this.#logger?.debug("a gauge could not be read", { metric: definition.name, error });
				return [];
			}
		};
		this.#declare(definition.name, { instrument: undefined, declare: (meters) => meters.gauge(definition, guarded) });
	}

	/** Call `told` with what this node has stored anew of a kind, once it is stored. */
	onStored<K extends EntityKind>(kind: K, told: OnStored<K>): void {
		if (this.isOn) this.#watchers.set(kind, [...(this.#watchers.get(kind) ?? []), told]);
	}

	/** Something has been stored. */
	stored<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): void {
		const watchers = this.#watchers.get(kind);
		if (watchers !== undefined) this.#tell(watchers, (told) => (told as OnStored<K>)(entities));
	}

	/** Be told what this node tells everybody. */
	onPublished(listener: BusListener): void {
		if (this.isOn) this.#listeners.push(listener);
	}

	published(name: string, data: EventData): void {
		this.#tell(this.#listeners, (listener) => listener.published(name, data));
	}

	/** Be told of events that have been looked at. */
	onProcessed(told: OnProcessed): void {
		if (this.isOn) this.#onProcessed.push(told);
	}

	processed(instance: TriggerInstanceEntity): void {
		this.#tell(this.#onProcessed, (told) => told(instance));
	}

	/** What runs here is told where it stands in its trace. */
	trace(tracing: Tracing): void {
		this.#tracing = tracing;
	}

	/** Something has ended. */
	span(span: Span): void {
		this.#tell(this.#plugins, (plugin) => plugin.span?.(span));
	}

	/** All measurements; undefined where nobody keeps them. */
	async expose(): Promise<Exposition | undefined> {
		for (const plugin of this.#plugins) {
			const exposition = await plugin.expose?.();
			if (exposition !== undefined) return exposition;
		}
		return undefined;
	}

	/** What goes wrong here must not touch the work, which is done. It is said once: there is much to tell. */
	#tell<L>(listeners: readonly L[], tell: (listener: L) => void): void {
		for (const listener of listeners) {
			try {
				tell(listener);
			} catch (error) {
				if (!this.#hasFailed) this.#logger?.error("telemetry has failed; this is said once", { error });
				this.#hasFailed = true;
			}
		}
	}

	#instrument({ name }: MetricDefinition, create: (meters: Meters) => Instrument): Instrument {
		const known = this.#declared.get(name)?.instrument;
		if (known !== undefined) return known;
		const instrument = new SharedInstrument();
		this.#declare(name, { instrument, declare: (meters) => instrument.add(create(meters)) });
		return instrument;
	}

	#declare(name: string, declared: Declared): void {
		this.#declared.set(name, declared);
		for (const meters of this.#takers) declared.declare(meters);
	}
}

import { Variables } from "./variables.ts";

/** Arrival of one task at a join, with its variables. */
interface Arrival {
	readonly source: string;
	readonly task: number;
	readonly variables: Variables;
}

/** Variables and tasks with which a join starts. */
export interface JoinStart {
	readonly variables: Variables;
	readonly tasks: readonly number[];
	/** True if the join has already started, and starts again because of a further task. */
	readonly isLate: boolean;
}

/** A join on one route: counts the tasks that arrive. */
export class JoinRun {
	readonly name: string;
	readonly route: number;
	#current = new ArrivalSet();
	#started: ArrivalSet | undefined;

	constructor(name: string, route: number) {
		this.name = name;
		this.route = route;
	}

	/** True if some tasks have arrived since the last start, but fewer than the join needs. */
	get isPartial(): boolean {
		return this.#current.arrivals.length > 0;
	}

	/** Variables of the tasks that have arrived at the join, if the join has not started. */
	get waitingVariables(): Variables {
		return this.#current.toStart(false).variables;
	}

	/**
	 * Counts a task that arrives. Returns the start if the join starts now. Several arrivals of one task count once. A task that arrives
	 * after the start without being part of that start starts the join again, with all arrivals. A task that was part of the start belongs to
	 * the next pass of a loop, for which counting begins anew.
	 */
	arrive(arrival: Arrival, needs: number): JoinStart | undefined {
		if (!this.isPartial && this.#started?.sources.has(arrival.source) === false) {
			this.#started.add(arrival);
			return this.#started.toStart(true);
		}
		this.#current.add(arrival);
		if (this.#current.sources.size < needs) return undefined;
		this.#started = this.#current;
		this.#current = new ArrivalSet();
		return this.#started.toStart(false);
	}

	/** Removes the arrivals of tasks that run again. */
	reopen(isSuperseded: (task: number) => boolean): void {
		const isStillValid = ({ task }: Arrival) => !isSuperseded(task);
		const currentArrivals = this.#current.arrivals.filter(isStillValid);
		const startedArrivals = this.#started?.arrivals ?? [];
		if (startedArrivals.every(isStillValid)) {
			this.#current = new ArrivalSet(currentArrivals);
			return;
		}
		this.#current = new ArrivalSet([...startedArrivals.filter(isStillValid), ...currentArrivals]);
		this.#started = undefined;
	}
}

/** Arrivals of one pass, in the order of arrival. */
class ArrivalSet {
	readonly arrivals: Arrival[] = [];
	readonly sources = new Set<string>();
	#variables = Variables.empty;

	constructor(arrivals: readonly Arrival[] = []) {
		for (const arrival of arrivals) this.add(arrival);
	}

	add(arrival: Arrival): void {
		this.arrivals.push(arrival);
		this.sources.add(arrival.source);
		this.#variables = this.#variables.join(arrival.variables);
	}

	toStart(isLate: boolean): JoinStart {
		return { variables: this.#variables, tasks: this.arrivals.map(({ task }) => task), isLate };
	}
}

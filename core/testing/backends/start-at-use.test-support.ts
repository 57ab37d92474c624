import type { Lifecycle, PluginContext } from "../../contract/index.ts";

/** Something that was started, and how it ends. */
export interface Opened<T> {
	readonly instance: T;
	stop(): Promise<void>;
}

/** What it has whatever the shape has. */
export type Started = Required<Pick<Lifecycle, "start" | "stop">>;
type Call = (...values: unknown[]) => unknown;

export type Open<T> = (context: PluginContext) => Promise<Opened<T>>;

/** Each has an instance of its own. */
export function openEach<T extends Lifecycle>(create: () => T): Open<T> {
	return async (context) => {
		const instance = create();
		const stop = async () => instance.stop?.();
		try {
			await instance.start?.(context);
		} catch (error) {
			await stop();
			throw error;
		}
		return { instance, stop };
	};
}

/** All who run at once have one instance, which stops with the last of them. */
export function openOne<T extends Lifecycle>(create: () => T): Open<T> {
	const open = openEach(create);
	let users = 0;
	let opened: Promise<Opened<T>> | undefined;
	return async (context) => {
		users += 1;
		opened ??= open(context);
		const { instance, stop } = await opened;
		return {
			instance,
			async stop() {
				users -= 1;
				if (users > 0) return;
				opened = undefined;
				await stop();
			},
		};
	};
}

/**
 * An instance that starts by itself at its first use, so that it needs no host; a host may start and stop it too.
 *
 * @param shape an instance that is never started: which members there are
 */
export function startAtUse<T extends Lifecycle>(shape: T, open: Open<T>, createContext: () => PluginContext): T & Started {
	let opening: Promise<Opened<T>> | undefined;
	let opened: Opened<T> | undefined;
	let stopping: Promise<void> | undefined;
	async function start(context = createContext()): Promise<void> {
		opening ??= open(context);
		opened = await opening;
	}
	async function end(): Promise<void> {
		await (await opening?.catch(() => undefined))?.stop();
	}
	const members: Started = { start, stop: () => (stopping ??= end()) };

	function toMember(name: string | symbol): unknown {
		// It comes before a start, and would be one.
		if (name === "check") return undefined;
		const member = Reflect.get(members, name) ?? Reflect.get(shape, name);
		if (typeof member !== "function" || Reflect.has(members, name)) return member;
		const call = (...values: unknown[]): unknown => {
			const instance = opened?.instance ?? shape;
			return (Reflect.get(instance, name) as Call).apply(instance, values);
		};
		// Nobody has subscribed yet where it is not started, so that it need not wait; and it promises not to.
		if (name === "publish") return call;
		return async (...values: unknown[]) => {
			if (opened === undefined) await start();
			return call(...values);
		};
	}
	return new Proxy(shape, { get: (_target, name) => toMember(name) }) as T & Started;
}

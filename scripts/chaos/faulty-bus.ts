import type { EventBus, EventBusPlugin, EventData } from "svc-automation/contract";

/**
 * A bus that loses each event with the probability `loss`, and repeats and delays as many of the others: what buses may do
 * without harm. Within the process it does so as well, which is more than the contract allows.
 */
export function faultyBus(plugin: EventBusPlugin, loss: number): EventBusPlugin {
	return { ...plugin, create: () => disturb(plugin.create(), loss) };
}

function disturb(bus: EventBus, loss: number): EventBus {
	const happens = () => Math.random() < loss;
	const publish = (name: string, data: EventData) => {
		if (happens()) return;
		if (happens()) bus.publish(name, data);
		if (happens()) setTimeout(() => bus.publish(name, data), Math.random() * 500).unref();
		else bus.publish(name, data);
	};
	return new Proxy(bus, {
		get(target, member) {
			if (member === "publish") return publish;
			const value: unknown = Reflect.get(target, member, target);
			return typeof value === "function" ? value.bind(target) : value;
		},
	});
}

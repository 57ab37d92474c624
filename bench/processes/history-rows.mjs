// A history as a service has after months: executions of many actions, users, rules and triggers, most of them succeeded, some of them
// children of others, and what belongs to them. The same rows every time, except for the time they end at.

const days = 90;
const day = 86_400_000_000;
/** Older output has been removed by then. */
const outputDays = 6;

/** Ids and texts as the service makes them: sortable by time. */
function toId(microseconds, number, part) {
	const seconds = Math.floor(microseconds / 1_000_000);
	const hex = (value, length) => value.toString(16).padStart(length, "0");
	return hex(seconds, 8) + hex(microseconds - seconds * 1_000_000, 5) + hex(number % 0x100000, 5) + part;
}

function toTimestamp(microseconds) {
	const seconds = Math.floor(microseconds / 1_000_000);
	return `${new Date(seconds * 1000).toISOString().slice(0, -4)}${String(microseconds - seconds * 1_000_000).padStart(6, "0")}Z`;
}

/** A generator of numbers from 0 to 1 that begins anew with every run. */
function createRandom() {
	let state = 1;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 0x1_0000_0000;
	};
}

/** The first names are used most, as in life: the share of the n-th is about 1/n of the first one's. */
function chooseFrom(names, random) {
	return names[Math.floor(names.length ** random()) - 1] ?? names[0];
}

function chooseStatus(number) {
	if (number < 0.9) return "succeeded";
	if (number < 0.96) return "failed";
	if (number < 0.975) return "timeout";
	return number < 0.99 ? "canceled" : "abandoned";
}

function toNames(count, toName) {
	return Array.from({ length: count }, (_none, index) => toName(index));
}

/** The names that executions have, the most frequent first.. */
export function toHistoryNames(actions) {
	return {
		actions,
		users: toNames(40, (index) => (index === 0 ? "svc" : `user-${index}`)),
		rules: toNames(60, (index) => `pack-${index % 12}.rule-${index}`),
		triggers: toNames(30, (index) => `pack-${index % 12}.trigger-${index}`),
	};
}

/**
 * Rows of a history that ends at `now` (microseconds), as `[kind, entity]`. `names.actions` are `{ref, runner, pack, snapshot_id}`.
 */
export function* makeHistory({ count, now, names }) {
	const random = createRandom();
	const start = now - days * day;
	const recent = [];
	for (let number = 0; number < count; number++) {
		const time = start + Math.floor((days * day * number) / count) + Math.floor(random() * 1000);
		const parent = random() < 0.15 && recent.length > 0 ? recent[Math.floor(random() * recent.length)] : undefined;
		const byRule = parent === undefined && random() < 0.5;
		const execution = toExecution({ number, time, random, names, parent });
		if (byRule) {
			const instance = toTriggerInstance(execution, { number, time, random, names });
			yield ["trigger_instance", instance];
			const rule = chooseFrom(names.rules, random);
			const origin = { trigger_name: instance.trigger, trigger_type_name: instance.trigger_type, trigger_instance_id: instance.id };
			Object.assign(execution, { user: names.users[0], rule_name: rule, ...origin });
		}
		if (parent === undefined)
			yield ["trace", { id: execution.trace_id, trace_tag: `execution-${number}`, start_timestamp: toTimestamp(time), traceparent: null }];
		yield ["execution", execution];
		if (time > now - outputDays * day) yield ["output_chunk", toOutput(execution, { number, time })];
		recent[number % 50] = execution;
	}
}

function toExecution({ number, time, random, names, parent }) {
	const id = toId(time, number, "e0e0e0");
	const action = chooseFrom(names.actions, random);
	const status = chooseStatus(random());
	const elapsed = Math.floor(50_000 + random() ** 4 * 60_000_000);
	const times = { requested: time, scheduled: time + 2_000, running: time + 4_000, [status]: time + elapsed };
	const user = parent?.user ?? chooseFrom(names.users, random);
	const result = { succeeded: status === "succeeded", failed: status !== "succeeded", return_code: status === "succeeded" ? 0 : 1 };
	const stdout = `host-${number % 200}: ${number} checked, load ${(random() * 4).toFixed(2)}, ${"all is as it should be; ".repeat(1 + (number % 4))}`;
	return {
		id,
		liveaction_id: toId(time, number, "1a1a1a"),
		status,
		action_ref: action.ref,
		runner_name: action.runner,
		user,
		parent_id: parent?.id ?? null,
		trace_id: parent?.trace_id ?? toId(time, number, "7a7a7a"),
		rule_name: null,
		trigger_name: null,
		trigger_type_name: null,
		trigger_instance_id: null,
		start_timestamp: toTimestamp(time),
		end_timestamp: toTimestamp(time + elapsed),
		elapsed_seconds: elapsed / 1_000_000,
		due_timestamp: toTimestamp(time),
		delay: null,
		attempt: 1,
		owner: null,
		fence: toId(time, number, "fefefe"),
		lease_expires_at: null,
		snapshot_id: action.snapshot_id,
		result_size: 120 + stdout.length,
		log: Object.entries(times).map(([state, at]) => ({ status: state, timestamp: toTimestamp(at) })),
		context: { user, pack: action.pack, ...(parent !== undefined && { parent: { execution_id: parent.id, user } }) },
		notify: null,
		callback: null,
		runner_info: { hostname: `node-${number % 3}`, pid: 1000 + (number % 50) },
		parameters: { cmd: `check --host host-${number % 200} --number ${number}` },
		result: { ...result, stdout, stderr: "" },
		run_state: null,
		queue: null,
	};
}

function toTriggerInstance({ trace_id }, { number, time, random, names }) {
	const trigger = chooseFrom(names.triggers, random);
	return {
		id: toId(time, number, "717171"),
		trigger,
		trigger_type: trigger,
		status: "processed",
		occurrence_time: toTimestamp(time),
		trace_id,
		unique_key: toId(time, number, "717171"),
		caused_by_id: null,
		depth: 0,
		attempt: 1,
		owner: null,
		fence: null,
		lease_expires_at: null,
		failure_reason: null,
		payload: { host: `host-${number % 200}`, number },
	};
}

function toOutput({ id, result }, { number, time }) {
	const data = `${result.stdout}\n`;
	return { id: toId(time, number, "0c0c0c"), execution_id: id, sequence: 1, output_type: "stdout", timestamp: toTimestamp(time), data };
}

import type { ComponentChildren } from "preact";
import type { Resource } from "../kit/resource.ts";
import { Fault } from "./fault.tsx";

/** What was read, once it is there; else that it is on its way, or why it is not. What is there stays when reading it again fails. */
export function Loaded<T>({ resource, children }: { readonly resource: Resource<T>; readonly children: (value: T) => ComponentChildren }) {
	const { value: error } = resource.error;
	const { value } = resource.value;
	return (
		<>
			{error !== undefined && <Fault error={error} onRetry={() => void resource.reload()} />}
			{value !== undefined && children(value)}
			{value === undefined && error === undefined && <p class="loading">Loading …</p>}
		</>
	);
}

/** Why something is not shown, in the words of the service. */
export function Fault({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
	return (
		<div class="fault" role="alert">
			<span>{error.message}</span>
			{onRetry !== undefined && (
				<button type="button" onClick={onRetry}>
					Try again
				</button>
			)}
		</div>
	);
}

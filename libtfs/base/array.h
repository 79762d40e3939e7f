/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_ARRAY_H
#define TFS_BASE_ARRAY_H

#include <errno.h>
#include <stddef.h>

/**
 * tfs_grow() - make room for @n elements in an array on the heap
 * @array: address of the pointer to the first element; NULL is an empty array
 * @alloc: address of the number of elements there is room for (size_t)
 * @n: elements needed; for one more, the number in use + 1
 *
 * Capacity doubles, so that appending costs O(1) on average. New elements are not initialised. The
 * array is released with free(). Return: 0, and the array is not NULL; -ENOMEM, and array and
 * capacity are unchanged.
 *
 *	if (tfs_grow(&list->v, &list->alloc, list->n + 1))
 *		return -ENOMEM;
 *	list->v[list->n++] = item;
 */
#define tfs_grow(array, alloc, n)      \
	(*(array) && (n) <= *(alloc) ? \
		 0 :                   \
		 tfs_grown(array, tfs_grow_array(*(array), alloc, n, tfs_size_of(array))))

/**
 * tfs_grow_one() - make room for one more element in a short list that does not record its capacity
 * @array: address of the pointer to the first element; NULL is an empty array
 * @n: elements in use
 *
 * The capacity is the power of two that follows from @n, so nothing else may allocate the array.
 * Return: as tfs_grow().
 */
#define tfs_grow_one(array, n)       \
	(*(array) && (n) & ((n)-1) ? \
		 0 :                 \
		 tfs_grown(array, tfs_grow_twofold(*(array), n, tfs_size_of(array))))

/* For the two macros. Elements have @size bytes. Return: the array; NULL: @array is as it was. */
void *tfs_grow_array(void *array, size_t *alloc, size_t n, size_t size);
void *tfs_grow_twofold(void *array, size_t n, size_t size);

#define tfs_size_of(array) sizeof(__typeof__(**(array)))
#define tfs_grown(array, result)           \
	__extension__({                    \
		void *grown_ = (result);   \
                                           \
		if (grown_)                \
			*(array) = grown_; \
		grown_ ? 0 : -ENOMEM;      \
	})

/**
 * tfs_bisect() - binary search: the first index for which a condition is false
 * @i: name of the index, to be used in @before
 * @n: number of elements
 * @before: an expression of @i that is true up to some index and false from there on
 *
 * Return: an index, or @n if @before is true for all elements.
 *
 *	at = tfs_bisect(i, t->n, t->v[i].addr < addr);     the first at or after addr
 *	end = tfs_bisect(i, t->n, t->v[i].addr <= addr);   the first after addr
 */
#define tfs_bisect(i, n, before)                              \
	__extension__({                                       \
		size_t low_ = 0, high_ = (n);                 \
                                                              \
		while (low_ < high_) {                        \
			size_t i = low_ + (high_ - low_) / 2; \
                                                              \
			if (before)                           \
				low_ = i + 1;                 \
			else                                  \
				high_ = i;                    \
		}                                             \
		low_;                                         \
	})

#endif
